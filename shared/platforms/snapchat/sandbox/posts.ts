import { randomBytes, randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';
import { codePointLength } from '../../../text/code-points.ts';
import { toIso } from '../../../time/instant.ts';
import { authorizeProfile } from './access.ts';
import { jsonBody, success } from './answers.ts';
import { readyMedia, type ReadyMedia } from './ready.ts';
import type { SnapchatAccount, SnapchatState, StoredPost } from './state.ts';

const characters = (least: number, most: number) =>
  v.pipe(
    v.string(),
    v.check(text => {
      const length = codePointLength(text);
      return length >= least && length <= most;
    }, `must have from ${least} to ${most} characters`),
  );

const StorySchema = v.strictObject({
  media_id: v.string(),
  customized_ttl: v.exactOptional(
    v.strictObject({ ttl: v.picklist(['ONE_DAY', 'TWO_DAYS', 'THREE_DAYS', 'ONE_WEEK']) }),
  ),
});
const SpotlightSchema = v.strictObject({
  media_id: v.string(),
  description: v.exactOptional(characters(1, 160)),
  locale: v.pipe(v.string(), v.regex(/^[a-z]{2}_[A-Z]{2}$/, 'is no locale')),
  skip_save_to_profile: v.optional(v.boolean(), false),
});
const SavedSchema = v.strictObject({
  saved_stories: v.strictTuple([
    v.strictObject({
      title: characters(1, 45),
      snap_sources: v.strictTuple([v.strictObject({ media_id: v.string() })]),
    }),
  ]),
});

/** Creating stories, Spotlight videos and saved stories. */
export function addPosts(api: Hono, state: SnapchatState): void {
  const root = '/v1/public_profiles/:profile';
  api.post(`${root}/stories`, async c => {
    const profile = authorizeProfile(c, state);
    const body = await jsonBody(c, StorySchema);
    const ready = readyMedia(state, profile, 'stories', body.media_id);
    // Its id is known to Snapchat only: the record has that of the media.
    const id = profile.story_ids ? randomUUID() : ready.media.id;
    publish(state, profile, ready, { id, kind: 'stories', text: null }, body);
    return success(c, profile.story_ids ? { story_id: id } : {});
  });
  api.post(`${root}/spotlights`, async c => {
    const profile = authorizeProfile(c, state);
    const body = await jsonBody(c, SpotlightSchema);
    const ready = readyMedia(state, profile, 'spotlights', body.media_id);
    const id = `W7_${randomBytes(24).toString('base64url')}`;
    publish(state, profile, ready, { id, kind: 'spotlights', text: body.description ?? null }, body);
    return success(c, { spotlight_id: id });
  });
  api.post(`${root}/saved_stories`, async c => {
    const profile = authorizeProfile(c, state);
    const body = await jsonBody(c, SavedSchema);
    const [{ title, snap_sources }] = body.saved_stories;
    const ready = readyMedia(state, profile, 'saved_stories', snap_sources[0].media_id);
    const id = profile.saved_answer === 'none' ? ready.media.id : randomUUID();
    publish(state, profile, ready, { id, kind: 'saved_stories', text: title }, body);
    return savedAnswer(c, profile, id);
  });
}

function savedAnswer(c: Context, { saved_answer }: SnapchatAccount, id: string): Response {
  const sub_request_status = 'SUCCESS';
  switch (saved_answer) {
    case 'nested':
      return success(c, { saved_stories: [{ sub_request_status, saved_story: { id } }] });
    case 'plain':
      return success(c, { saved_stories: [{ sub_request_status, id }] });
    case 'top':
      return success(c, { saved_story_id: id });
    case 'none':
      return success(c);
  }
}

const KINDS = { stories: 'story', spotlights: 'spotlight', saved_stories: 'saved_story' } as const;

function publish(
  { host, posts }: SnapchatState,
  { id: profile_id, username }: SnapchatAccount,
  { media, file }: ReadyMedia,
  post: Pick<StoredPost, 'id' | 'kind' | 'text'>,
  fields: JsonObject,
): void {
  const { id, kind, text } = post;
  const created_at = host.now();
  media.posted_at = created_at;
  posts.set(id, { ...post, profile_id, created_at });
  const isSpotlight = kind === 'spotlights';
  host.publish({
    platform: 'snapchat',
    account: profile_id,
    platform_post_id: id,
    platform_post_url: `https://www.snapchat.com/${isSpotlight ? `spotlight/${id}` : `add/${username}`}`,
    kind: KINDS[kind],
    text: isSpotlight ? text : null,
    title: isSpotlight ? null : text,
    media: [file],
    comments: [],
    fields,
    published_at: toIso(created_at),
  });
}
