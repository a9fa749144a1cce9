import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import type { StepContext } from '../contract/publisher.ts';
import { ProgressSchema } from '../kit/parts.ts';
import { readApp } from './app.ts';
import type { Caller } from './call.ts';
import type { Credentials } from './credentials.ts';
import { personUrn } from './urn.ts';

export type Context = StepContext<Credentials>;

export function callerOf({
  http,
  credentials,
  app,
  now,
}: Pick<Context, 'http' | 'credentials' | 'app' | 'now'>): Caller {
  return { http, token: credentials.access_token, version: readApp(app).version, now };
}

/** The author of the post and the owner of its media, which must be the same: an organization or the member. */
export function authorOf({ target, job }: Pick<Context, 'target' | 'job'>): string {
  return target?.id ?? personUrn(job.account.platform_user_id);
}

/** Returns the scopes that were granted; null where LinkedIn did not say. */
export function scopesOf(attributes: Readonly<Record<string, string>>): readonly string[] | null {
  return attributes['scopes']?.split(' ') ?? null;
}

/** Fails before the first request when the permission to post as the author was not granted. */
export function assertMayPost({ target, job }: Context): void {
  const scope = target ? 'w_organization_social' : 'w_member_social';
  if (scopesOf(job.account.attributes)?.includes(scope) !== false) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `The account was connected without the permission ${scope}`,
  });
}

/** True where the state of the author's images, documents and posts can be read: LinkedIn shows those of organizations only. */
export function mayRead({ target, job }: Context): boolean {
  const scope = target ? 'r_organization_social' : 'r_member_social';
  return scopesOf(job.account.attributes)?.includes(scope) === true;
}

/** The session of a video's upload. A part's URL is dropped once the part is sent. */
export const VideoSessionSchema = v.object({
  id: v.string(),
  token: v.string(),
  size: v.number(),
  parts: v.array(v.object({ url: v.string(), start: v.number(), end: v.number() })),
  progress: ProgressSchema,
  expires_at: v.nullable(v.number()),
});
export type VideoSession = v.InferOutput<typeof VideoSessionSchema>;

export const ArticleSchema = v.object({
  source: v.string(),
  title: v.string(),
  description: v.string(),
  /** URN of the picture. */
  thumbnail: v.nullable(v.string()),
});
export type Article = v.InferOutput<typeof ArticleSchema>;

export const StateSchema = v.object({
  /** URN of each of the post's files that was uploaded, in order. */
  assets: v.array(v.string()),
  /** How many of `assets` are ready. */
  ready: v.number(),
  video: v.nullable(VideoSessionSchema),
  article: v.nullable(ArticleSchema),
  /** LinkedIn refused the link's preview: the post is sent without it. */
  without_article: v.boolean(),
  /** How often the files were uploaded again: the upload URLs had expired, or the files did not arrive. */
  restarts: v.number(),
  /** When LinkedIn began to process the media. Epoch milliseconds. */
  processing_since: v.nullable(v.number()),
});
export type State = v.InferOutput<typeof StateSchema>;

/** Most of `restarts`. */
export const MAX_RESTARTS = 3;

export const FRESH: State = {
  assets: [],
  ready: 0,
  video: null,
  article: null,
  without_article: false,
  restarts: 0,
  processing_since: null,
};

export function mediaRejected(message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
}

export function unavailable(message: string): PlatformError {
  return new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
}
