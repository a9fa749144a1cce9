import * as v from 'valibot';
import { stageOf } from './assets.ts';
import { badRequest } from './responses.ts';
import type { Asset, LinkedInState } from './state.ts';

const AltText = v.optional(v.pipe(v.string(), v.maxLength(4086)));
const Title = v.optional(v.pipe(v.string(), v.maxLength(400)));

export const ContentSchema = v.strictObject({
  media: v.optional(v.strictObject({ id: v.string(), title: Title, altText: AltText })),
  multiImage: v.optional(
    v.strictObject({
      images: v.pipe(
        v.array(v.strictObject({ id: v.string(), altText: AltText })),
        v.minLength(2),
        v.maxLength(20),
      ),
    }),
  ),
  article: v.optional(
    v.strictObject({
      source: v.pipe(v.string(), v.url()),
      title: v.pipe(v.string(), v.nonEmpty(), v.maxLength(400)),
      description: v.optional(v.pipe(v.string(), v.maxLength(4086))),
      thumbnail: v.optional(v.string()),
    }),
  ),
});
export type Content = v.InferOutput<typeof ContentSchema>;

export type PostKind = 'text' | 'image' | 'video' | 'document' | 'article';

/** Checks a post's content. Ends the request where LinkedIn would refuse it. */
export function acceptContent(
  state: LinkedInState,
  content: Content | undefined,
  author: string,
): { kind: PostKind; assets: Asset[] } {
  if (!content) return { kind: 'text', assets: [] };
  const variants = Object.keys(content);
  if (variants.length !== 1) {
    return badRequest('INVALID_VALUE_FOR_FIELD', '/content must have exactly one member');
  }
  const { media, multiImage, article } = content;
  if (article) {
    const { thumbnail } = article;
    const assets = thumbnail === undefined ? [] : [requireAsset(state, thumbnail, author, ['image'])];
    return { kind: 'article', assets };
  }
  if (multiImage) {
    return {
      kind: 'image',
      assets: multiImage.images.map(({ id }) => requireAsset(state, id, author, ['image'])),
    };
  }
  const asset = requireAsset(state, media?.id ?? '', author, ['image', 'video', 'document']);
  if (asset.kind === 'document' && !media?.title) {
    return badRequest('MISSING_FIELD', '/content/media/title: field is required but not found');
  }
  return { kind: asset.kind, assets: [asset] };
}

function requireAsset(
  state: LinkedInState,
  urn: string,
  author: string,
  kinds: readonly Asset['kind'][],
): Asset {
  const asset = state.assets.get(urn);
  if (!asset || asset.owner !== author || !kinds.includes(asset.kind)) {
    const code = urn.startsWith('urn:li:video:') ? 'INVALID_VIDEO_ID' : 'INVALID_IMAGE_ID';
    return badRequest(code, `/content: ${urn} is not a file of the author`);
  }
  const stage = stageOf(state, asset);
  if (stage === 'WAITING_UPLOAD' || (stage === 'PROCESSING' && asset.kind !== 'video')) {
    return badRequest('MEDIA_ASSET_WAITING_UPLOAD', `Media asset ${urn} is waiting for upload`);
  }
  if (stage === 'PROCESSING_FAILED') {
    return badRequest('MEDIA_ASSET_PROCESSING_FAILED', `Media asset ${urn} failed processing`);
  }
  return asset;
}
