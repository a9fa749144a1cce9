import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { DAY, SECOND } from '../../../time/instant.ts';
import type { SandboxMedia, SandboxPost } from '../../contract/sandbox.ts';
import { authorize, readParams, type Grant, type Params } from './access.ts';
import { statusOf } from './containers.ts';
import { graphError } from '../../families/meta/sandbox/responses.ts';
import { invalidParameter, mediaNotFound, permissionMissing } from './responses.ts';
import { newId, type Container, type ThreadsAccount, type ThreadsMedia, type ThreadsState } from './state.ts';
import { topicOf } from './text.ts';

const QUOTA = 250;
const REPLY_QUOTA = 1000;
const DELETION_QUOTA = 100;

/** Fields of the limits endpoint that need a scope beside `threads_basic`. */
const SCOPES_BY_PREFIX: readonly (readonly [string, string])[] = [
  ['reply_', 'threads_manage_replies'],
  ['delete_', 'threads_delete'],
  ['location_search_', 'threads_location_tagging'],
];

/** Publishing containers, the limits, and deleting posts. */
export function addPublishing(api: Hono, state: ThreadsState): void {
  api.post('/v1.0/:user/threads_publish', async c => {
    const params = await readParams(c, state);
    const grant = authorize(c, state, params, ['threads_basic', 'threads_content_publish']);
    return publish(c, state, grant, params);
  });
  api.get('/v1.0/:user/threads_publishing_limit', async c => {
    const params = await readParams(c, state);
    return limits(c, state, authorize(c, state, params, ['threads_basic', 'threads_content_publish']));
  });
  api.delete('/v1.0/:id', async c => {
    const params = await readParams(c, state);
    return remove(c, state, authorize(c, state, params, ['threads_basic', 'threads_delete']));
  });
}

function publish(c: Context, state: ThreadsState, { account }: Grant, params: Params): Response {
  assertAllowed(account);
  const container = state.containers.get(params['creation_id'] ?? '');
  if (container?.account_id !== account.id || container.is_carousel_item) return mediaNotFound();
  // Publishing a container again never creates a second post.
  if (container.media_id !== null) return c.json({ id: container.media_id });
  const age = state.host.now() - container.created_at;
  const isVisible = age >= account.visibility_delay_s * SECOND;
  if (!isVisible || container.is_lost || statusOf(state, container).status !== 'FINISHED') {
    return mediaNotFound();
  }
  if (usageOf(state, account) >= quotaOf(state, account)) return overQuota();

  const shortcode = randomBytes(8).toString('base64url');
  const media: ThreadsMedia = {
    id: newId(),
    account_id: account.id,
    container_id: container.id,
    published_at: state.host.now(),
    shortcode,
    permalink: `https://www.threads.com/@${account.username}/post/${shortcode}`,
  };
  state.containers.set(container.id, { ...container, media_id: media.id });
  state.media.set(media.id, media);
  state.host.publish(publicPost(state, media, container));
  return c.json({ id: media.id });
}

function assertAllowed({ restricted, activity_restricted }: ThreadsAccount): void {
  if (restricted) {
    graphError({
      status: 403,
      code: 10,
      subcode: 4_279_013,
      message: 'User is restricted',
      user_message: 'The user is not allowed to perform this action.',
    });
  }
  if (activity_restricted) {
    graphError({
      code: 4,
      subcode: 2_207_051,
      message: 'Application request limit reached',
      user_message:
        'We restrict certain activity to protect our community. Tell us if you think we made a mistake.',
    });
  }
}

function overQuota(): never {
  return graphError({
    code: 9,
    subcode: 2_207_042,
    message: 'Application request limit reached',
    user_message: `The user reached the maximum number of ${QUOTA} posts in 24 hours.`,
  });
}

/** `POST /_control/limits {quota_usage, quota_total}` overrides what was published in the last 24 hours. */
function usageOf({ host, media }: ThreadsState, { id }: ThreadsAccount): number {
  const since = host.now() - DAY;
  const published = media.values().filter(each => each.account_id === id && each.published_at > since);
  const set = host.limit('threads', id)?.['quota_usage'];
  return typeof set === 'number' ? set : published.length;
}

function quotaOf({ host }: ThreadsState, { id }: ThreadsAccount): number {
  const set = host.limit('threads', id)?.['quota_total'];
  return typeof set === 'number' ? set : QUOTA;
}

function limits(c: Context, state: ThreadsState, { account, stored }: Grant): Response {
  const duration = DAY / SECOND;
  const all = {
    quota_usage: usageOf(state, account),
    config: { quota_total: quotaOf(state, account), quota_duration: duration },
    reply_quota_usage: 0,
    reply_config: { quota_total: REPLY_QUOTA, quota_duration: duration },
    delete_quota_usage: deletionsOf(state, account).length,
    delete_config: { quota_total: DELETION_QUOTA, quota_duration: duration },
    location_search_quota_usage: 0,
    location_search_config: { quota_total: 500, quota_duration: duration },
  };
  const fields = (c.req.query('fields') ?? 'quota_usage,config').split(',');
  for (const field of fields) {
    if (!Object.hasOwn(all, field)) invalidParameter(`Tried accessing nonexisting field (${field})`);
    const needed = SCOPES_BY_PREFIX.find(([prefix]) => field.startsWith(prefix));
    if (needed && !stored.scopes.includes(needed[1])) permissionMissing();
  }
  const asked = Object.entries(all).filter(([name]) => fields.includes(name));
  return c.json({ data: [Object.fromEntries(asked)] });
}

function publicPost(state: ThreadsState, media: ThreadsMedia, container: Container): SandboxPost {
  const children = container.children.flatMap(id => state.containers.get(id) ?? []);
  const parts = container.media_type === 'CAROUSEL' ? children : [container];
  const altTexts = parts.map(({ fields }) => fields['alt_text'] ?? null);
  return {
    platform: 'threads',
    account: media.account_id,
    platform_post_id: media.id,
    platform_post_url: media.permalink,
    kind: container.media_type === 'CAROUSEL' ? 'album' : container.media_type.toLowerCase(),
    text: container.text,
    title: null,
    media: parts.flatMap(({ file }): SandboxMedia[] => (file ? [file] : [])),
    comments: [],
    fields: {
      ...container.fields,
      topic: container.fields['topic_tag'] ?? topicOf(container.text),
      ...(altTexts.some(text => text !== null) ? { alt_texts: altTexts } : {}),
    },
    published_at: new Date(media.published_at).toISOString(),
  };
}

function deletionsOf({ deletions, host }: ThreadsState, { id }: ThreadsAccount): number[] {
  return (deletions.get(id) ?? []).filter(at => at > host.now() - DAY);
}

function remove(c: Context, state: ThreadsState, { account }: Grant): Response {
  const media = state.media.get(c.req.param('id') ?? '');
  if (media?.account_id !== account.id) return mediaNotFound();
  const deletions = deletionsOf(state, account);
  if (deletions.length >= DELETION_QUOTA) return overQuota();
  state.deletions.set(account.id, [...deletions, state.host.now()]);
  state.media.delete(media.id);
  state.host.unpublish('threads', media.id);
  return c.json({ success: true, deleted_id: media.id });
}
