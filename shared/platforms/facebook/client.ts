import * as v from 'valibot';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { StepContext } from '../contract/publisher.ts';
import { facebookApi } from '../families/meta/facebook-login.ts';
import { graphClient, type GraphClient } from '../families/meta/graph.ts';
import { CreatedSchema, GraphId, SuccessSchema } from '../families/meta/json.ts';
import { PageSecretsSchema } from './credentials.ts';
import { FACEBOOK_ERRORS } from './errors.ts';

/* Calls for a Page: posts, photos and comments. All throw PlatformError. */

/** Facebook fetches the photo during the call. */
const PHOTO_TIMEOUT_MS = 45 * SECOND;
/** A permalink is no reason to keep a live post waiting. */
const PERMALINK_TIMEOUT_MS = 5 * SECOND;

const FACEBOOK = 'https://www.facebook.com';

/** A Page with a client that acts for it. */
export interface PageClient {
  id: string;
  graph: GraphClient;
}

/** Returns a client of the Page that a post goes to. Throws PlatformError `rejected` where none is chosen. */
export function pageClient({
  target,
  app,
  http,
  now,
}: Pick<StepContext<unknown>, 'target' | 'app' | 'http' | 'now'>): PageClient {
  const secrets = v.safeParse(PageSecretsSchema, target?.secrets);
  if (!target || !secrets.success) throw noPage();
  const api = facebookApi(app, { platform: 'Facebook', errors: FACEBOOK_ERRORS });
  const token = secrets.output.access_token;
  return {
    id: target.id,
    graph: graphClient({ http, now, api, token, appSecret: app?.client_secret ?? null }),
  };
}

const noPage = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'No Facebook Page is chosen: set default_target_id of the account to one of GET /integrations/facebook/targets',
  });

const PostSchema = v.object({
  id: GraphId,
  permalink_url: v.fallback(v.nullish(v.string(), null), null),
});

/** A post of the Page as Facebook names it. */
export interface CreatedPost {
  id: string;
  url: string;
}

export interface FeedPost {
  message: string;
  /** Shown as a preview. */
  link: string | null;
  /** Ids of unpublished photos, in order. */
  photoIds: readonly string[];
}

/** Publishes a post of text, with a link or with staged photos. */
export async function createFeedPost(page: PageClient, post: FeedPost): Promise<CreatedPost> {
  const photos = post.photoIds.map(
    (id, index) => [`attached_media[${index}]`, JSON.stringify({ media_fbid: id })] as const,
  );
  const created = await page.graph.call(
    {
      what: 'Publishing the post',
      purpose: 'commit',
      method: 'POST',
      path: `/${page.id}/feed`,
      query: { fields: 'id,permalink_url' },
      form: {
        ...(post.message === '' ? {} : { message: post.message }),
        ...(post.link === null ? {} : { link: post.link }),
        published: 'true',
        ...Object.fromEntries(photos),
      },
    },
    PostSchema,
  );
  return { id: created.id, url: absoluteUrl(created.permalink_url) ?? `${FACEBOOK}/${created.id}` };
}

/** A photo that Facebook fetches, with the alt text that it shows to those who do not see it. */
export interface Photo {
  url: string;
  altText: string | null;
}

const photoForm = ({ url, altText }: Photo): Record<string, string> => ({
  url,
  ...(altText === null ? {} : { alt_text_custom: altText }),
});

/** Publishes a post with one photo. */
export async function publishPhoto(page: PageClient, photo: Photo, caption: string): Promise<CreatedPost> {
  const { id, post_id } = await page.graph.call(
    {
      what: 'Publishing the photo',
      purpose: 'commit',
      method: 'POST',
      path: `/${page.id}/photos`,
      form: {
        ...photoForm(photo),
        ...(caption === '' ? {} : { caption }),
        published: 'true',
      },
      timeoutMs: PHOTO_TIMEOUT_MS,
    },
    v.object({ id: GraphId, post_id: v.optional(GraphId) }),
  );
  const postId = post_id ?? id;
  return { id: postId, url: await permalinkOf(page, postId) };
}

/** Uploads a photo that nobody sees until it is attached to a post. Facebook deletes it after about a day. */
export async function stagePhoto(page: PageClient, photo: Photo): Promise<string> {
  const { id } = await page.graph.call(
    {
      what: 'Uploading a photo',
      purpose: 'prepare',
      method: 'POST',
      path: `/${page.id}/photos`,
      form: { ...photoForm(photo), published: 'false' },
      timeoutMs: PHOTO_TIMEOUT_MS,
    },
    CreatedSchema,
  );
  return id;
}

/** Deletes a post, a photo or a video of the app. */
export async function deleteObject({ graph }: PageClient, id: string): Promise<void> {
  await graph.call(
    { what: 'Deleting an upload', purpose: 'prepare', method: 'DELETE', path: `/${id}` },
    SuccessSchema,
  );
}

/** Returns the URL of a live post. When Facebook does not tell it, one by its id. */
async function permalinkOf({ graph }: PageClient, id: string): Promise<string> {
  const fallback = `${FACEBOOK}/${id}`;
  try {
    const { permalink_url } = await graph.call(
      {
        what: 'Reading the permalink',
        purpose: 'read',
        method: 'GET',
        path: `/${id}`,
        query: { fields: 'permalink_url' },
        timeoutMs: PERMALINK_TIMEOUT_MS,
      },
      PostSchema,
    );
    return absoluteUrl(permalink_url) ?? fallback;
  } catch (error) {
    if (error instanceof PlatformError) return fallback;
    throw error;
  }
}

/** Permalinks of videos are paths. */
export function absoluteUrl(url: string | null): string | null {
  return url?.startsWith('/') ? `${FACEBOOK}${url}` : url;
}

/** Comments on a post or a video as the Page. */
export async function createComment({ graph }: PageClient, id: string, message: string): Promise<void> {
  await graph.call(
    {
      what: 'Posting the comment',
      purpose: 'commit',
      method: 'POST',
      path: `/${id}/comments`,
      form: { message },
    },
    CreatedSchema,
  );
}

const CommentsSchema = v.object({
  data: v.array(
    v.object({
      id: GraphId,
      message: v.optional(v.string(), ''),
      from: v.optional(v.object({ id: GraphId })),
    }),
  ),
});

/** Returns the texts of the Page's own comments on a post or video. */
export async function ownComments({ graph, id: pageId }: PageClient, id: string): Promise<string[]> {
  const { data } = await graph.call(
    {
      what: 'Reading the comments',
      purpose: 'read',
      method: 'GET',
      path: `/${id}/comments`,
      query: { fields: 'id,message,from', limit: '50' },
    },
    CommentsSchema,
  );
  return data.filter(({ from }) => from?.id === pageId).map(({ message }) => message);
}
