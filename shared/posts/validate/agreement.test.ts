import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { apngOf } from '../../../test/support/bad-files.ts';
import { candidateOf } from '../../../test/support/candidates.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { memoryBucket } from '../../../test/support/memory-bucket.ts';
import { animatedWebp, gifOf, soundOnly } from '../../../test/support/moving-files.ts';
import { testOrigin, type TestOrigin } from '../../../test/support/origin.ts';
import { mediaFiles } from '../../media/media-files.ts';
import { PLATFORM_IDS, type PlatformId, type PostType } from '../../model/platform.ts';
import { createHttpClient, type HttpClient } from '../../net/http.ts';
import { PlatformError } from '../../platforms/contract/error.ts';
import type { FittedPicture } from '../../platforms/contract/media-files.ts';
import type { PostContent } from '../../platforms/kit/draft.ts';
import { pictureNeedsOf } from '../../platforms/kit/files.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { keyOfUrl, MEDIA, publicUrlOf, type Bucket } from '../../store/objects.ts';
import { platformPosts, type PlatformPost } from '../drafts.ts';
import { fileResults } from './file-facts.ts';
import { fileFindings, fileUrls } from './files.ts';

/*
 * Validation announces what delivery does: the same files are validated, and then opened and fitted as a publisher does it.
 */

const memory = memoryBucket();
const files = new Map<string, Buffer>();
let bucket: Bucket;
let origin: TestOrigin;
let http: HttpClient;

beforeAll(async () => {
  const sample = await sampleFiles();
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
  const still = await plain(400, 300);
  const all: [string, Buffer][] = [
    ...['photo.jpg', 'photo.png', 'photo.webp', 'alpha.png', 'tall.jpg', 'anim.gif'].map(
      (name): [string, Buffer] => [name, sample(name)],
    ),
    ...['clip.mp4', 'clip.mov', 'clip.webm', 'doc.pdf'].map((name): [string, Buffer] => [name, sample(name)]),
    ['still.gif', gifOf(1)],
    ['frames-351.gif', gifOf(351)],
    ['large.gif', gifOf(218, { width: 1280, height: 1080 })],
    ['moving.png', apngOf(still)],
    ['moving.webp', await animatedWebp()],
    ['strip.png', await plain(2100, 100)],
    ['sound.mp4', await soundOnly()],
    ['misnamed.mp4', sample('photo.jpg')],
  ];
  for (const [name, bytes] of all) files.set(name, bytes);
  origin = await testOrigin((request, response) => {
    const found = memory.objects.get(keyOfUrl(bucket, `${origin.url}${request.url ?? ''}`) ?? '');
    if (found) response.writeHead(200, { 'content-length': found.bytes.length }).end(found.bytes);
    else response.writeHead(404).end();
  });
  bucket = { ...memory, publicUrl: origin.url };
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
});
afterAll(async () => {
  http.close();
  await origin.close();
});

function stored(name: string): string {
  const key = `${MEDIA}${name}`;
  memory.objects.set(key, { bytes: files.get(name)!, type: 'application/octet-stream' });
  return publicUrlOf(bucket, key);
}

async function announced(post: PlatformPost) {
  const { errors, warnings } = fileFindings([post], await fileResults(bucket, fileUrls([post]), null));
  const changes = warnings.filter(({ code }) => code === 'MEDIA_CHANGED').map(({ message }) => message);
  return { errors: errors.map(({ message }) => message), changes };
}

/** Opens and fits the files of a post. Returns why that was refused, or what is sent. */
async function delivered({ rules, draft }: PlatformPost) {
  const media = mediaFiles({ http, bucket, rules, draft });
  const sent: { asFile: boolean; picture: FittedPicture | null }[] = [];
  try {
    for (const url of draft.media_urls) {
      const file = await media.open(url, 10_000);
      const asFile = file.sent_as === 'file';
      const needs = rules.pictures && pictureNeedsOf(rules.pictures, draft);
      const picture = needs && file.facts.kind === 'image' && !asFile ? await file.fitted(needs) : null;
      sent.push({ asFile, picture });
      await file.close();
    }
    return { refusal: null, sent };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { refusal: error.message, sent };
  }
}

const POSTS: [PostType, string[]][] = [
  ...[
    'photo.jpg',
    'photo.png',
    'photo.webp',
    'alpha.png',
    'tall.jpg',
    'anim.gif',
    'still.gif',
    'frames-351.gif',
    'large.gif',
    'moving.png',
    'moving.webp',
    'strip.png',
    'clip.mp4',
    'doc.pdf',
    'misnamed.mp4',
  ].map((name): [PostType, string[]] => ['image', [name]]),
  ...['clip.mp4', 'clip.mov', 'clip.webm', 'sound.mp4', 'photo.jpg', 'misnamed.mp4'].map(
    (name): [PostType, string[]] => ['video', [name]],
  ),
  ['document', ['doc.pdf']],
  ['document', ['clip.mp4']],
  ['image', ['anim.gif', 'photo.jpg']],
  ['image', ['moving.png', 'photo.jpg']],
  ['image', ['photo.jpg', 'moving.webp']],
  ['image', ['photo.jpg', 'strip.png']],
  ['image', ['photo.jpg', 'clip.mp4']],
];

const contentOf = (post_type: PostType, media_urls: string[]): PostContent => ({
  post_type,
  title: null,
  description: null,
  media_urls,
  first_comment: null,
  auto_truncate: false,
  options: {},
});

describe.each<PlatformId>([...PLATFORM_IDS])('%s', platform => {
  const supported = POSTS.filter(([type]) => RULES[platform].post_types[type] !== undefined);

  test.each(supported)('a post of type %s with %j', async (type, names) => {
    const urls = names.map(stored);
    const [post] = platformPosts(candidateOf(contentOf(type, urls), [platform]), []);
    const { errors, changes } = await announced(post!);
    const { refusal, sent } = await delivered(post!);

    // Delivery stops at the first file that is refused.
    expect({ errors, isRefused: refusal !== null }).toEqual({ errors, isRefused: errors.length > 0 });
    expect({
      refusal,
      isAnnounced: refusal === null || errors.some(error => refusal.includes(error)),
    }).toEqual({
      refusal,
      isAnnounced: true,
    });
    if (refusal !== null) return;

    const isStill = ({ picture }: (typeof sent)[number], index: number) =>
      picture !== null &&
      /anim|moving|frames|large/.test(names[index] ?? '') &&
      !(picture.animated && pictureNeedsOf(RULES[platform].pictures!, post!.draft).animation === 'kept');
    const count = (words: RegExp) => changes.filter(change => words.test(change)).length;
    expect({ still: count(/first frame/), files: count(/as a file/) }).toEqual({
      still: sent.filter(isStill).length,
      files: sent.some(({ asFile }) => asFile) ? sent.length : 0,
    });
  });
});
