import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { JsonObjectSchema, type JsonObject } from '../../../model/json.ts';
import { DAY, SECOND, toIso } from '../../../time/instant.ts';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { refuse } from './access.ts';
import { newPostId, type Process, type TikTokAccount, type TikTokState } from './state.ts';

/* Processes: what an announcement begins, and what a status tells about. */

const PENDING_DRAFTS = 5;

const MODES = {
  video: ['v_pub_file', 'v_inbox_file'],
  pulled: ['v_pub_url', 'v_inbox_url'],
  photo: ['p_pub_url', 'p_inbox_url'],
} as const;

export function newPublishId(source: keyof typeof MODES, draft: boolean): string {
  return `${MODES[source][draft ? 1 : 0]}~v2-1.${randomInt(10 ** 9, 10 ** 10)}${randomInt(10 ** 8)}`;
}

export function newProcess(
  state: TikTokState,
  account: TikTokAccount,
  given: Pick<Process, 'publish_id' | 'kind' | 'draft' | 'body'> & Partial<Process>,
): Process {
  const process: Process = {
    account_id: account.id,
    created_at: state.host.now(),
    upload: null,
    files: [],
    problem: null,
    accepted_at: null,
    post_id: null,
    live_at: null,
    reads: 0,
    ...given,
  };
  state.processes.set(process.publish_id, process);
  return process;
}

/** Ends the request of a sixth draft in 24 hours. */
export function assertFewDrafts({ processes, host }: TikTokState, { id }: TikTokAccount): void {
  const since = host.now() - DAY;
  const pending = processes
    .values()
    .filter(each => each.draft && each.account_id === id && each.created_at > since && !each.problem);
  if (pending.length >= PENDING_DRAFTS) {
    refuse(
      403,
      'spam_risk_too_many_pending_share',
      'There may be at most 5 pending shares within any 24-hour period.',
    );
  }
}

/** Records that TikTok has everything, and what it will find out about the files. */
export function accept(
  state: TikTokState,
  process: Process,
  files: readonly StoredMedia[],
  problem: string | null,
): void {
  const accepted = { ...process, files: [...files], problem, accepted_at: state.host.now() };
  state.processes.set(process.publish_id, accepted);
  settle(state);
}

/** Publishes what TikTok has processed by now. */
export function settle(state: TikTokState): void {
  const { host, processes } = state;
  const { seconds, outcome, error } = host.processing('tiktok');
  for (const process of processes.values()) {
    const { accepted_at, live_at, problem } = process;
    if (accepted_at === null || live_at !== null || problem !== null) continue;
    if (host.now() - accepted_at < seconds * SECOND) continue;
    if (outcome === 'ok') publish(state, process);
    else processes.set(process.publish_id, { ...process, problem: error ?? 'internal' });
  }
}

const info = (body: JsonObject): JsonObject => v.parse(v.fallback(JsonObjectSchema, {}), body['post_info']);

export const isPublic = ({ draft, body }: Process): boolean =>
  !draft && info(body)['privacy_level'] === 'PUBLIC_TO_EVERYONE';

/** Drafts wait in the inbox of the app. */
const INBOX_URL = 'https://www.tiktok.com/messages';

/** A post whose id nobody learns is looked for on the profile. */
function urlOf(username: string, kind: Process['kind'], id: string | null): string {
  const profile = `https://www.tiktok.com/@${username}`;
  return id === null ? profile : `${profile}/${kind}/${id}`;
}

function publish(state: TikTokState, process: Process): void {
  const { host, processes, accounts } = state;
  const live: Process = {
    ...process,
    live_at: host.now(),
    post_id: process.draft ? null : newPostId(),
  };
  processes.set(process.publish_id, live);
  const username = accounts.get(process.account_id)?.username ?? '';
  // Nobody learns the id of a post that is not public.
  const id = isPublic(live) ? live.post_id : null;
  host.publish({
    platform: 'tiktok',
    account: process.account_id,
    platform_post_id: id ?? process.publish_id,
    platform_post_url: process.draft ? INBOX_URL : urlOf(username, process.kind, id),
    kind: process.draft ? 'draft' : process.kind,
    ...textsOf(process),
    media: [...process.files],
    comments: [],
    fields: process.body,
    published_at: toIso(host.now()),
  });
}

/** A video has one text, its title; photos have two. */
export function textsOf({ kind, body }: Process): { text: string | null; title: string | null } {
  const { title, description } = info(body);
  const [text, heading] = kind === 'video' ? [title, null] : [description, title];
  return { text: stringOr(text), title: stringOr(heading) };
}

const stringOr = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
