import type { Destination } from '../model/destination.ts';
import type { Post } from '../model/post.ts';

/*
 * Names of attributes in the items of posts. Written out, those of a post with three destinations would take half a
 * kilobyte of the one that a write may have for one unit.
 */

type NamesOf<T> = T extends unknown ? keyof T : never;
/** An item has these as its keys, in the wake index, or where the runbook reads them. */
type KeptName = 'post_id' | 'workspace_id' | 'wake_at' | 'due_at';

/** The attributes of an item. */
export const POST_NAMES = {
  profile_id: 'p',
  profile_name: 'pn',
  post_type: 't',
  title: 'ti',
  description: 'd',
  media_urls: 'm',
  media_alt_texts: 'ma',
  media_bytes: 'mb',
  first_comment: 'fc',
  auto_truncate: 'at',
  options: 'o',
  scheduling: 's',
  slot_number: 'sn',
  version: 'v',
  created_by: 'cb',
  request_id: 'r',
  created_at: 'c',
  updated_at: 'u',
  destinations: 'ds',
  written_by: 'w',
  content_id: 'ci',
} as const satisfies Record<Exclude<NamesOf<Post>, KeptName>, string>;

/** The attributes of a destination, which is in its item under the name of its platform. */
export const DESTINATION_NAMES = {
  social_account_id: 'sa',
  target_id: 'ta',
  revision: 'v',
  attempts: 'a',
  failures: 'f',
  first_attempt_at: 'fa',
  changed_at: 'c',
  written_by: 'w',
  outbox: 'o',
  status: 's',
  checkpoint: 'cp',
  intent: 'i',
  lost_commit: 'lc',
  waits: 'wa',
  lease_until: 'lu',
  next_attempt_at: 'na',
  error: 'e',
  platform_post_id: 'pi',
  platform_post_url: 'pu',
  published_at: 'p',
  follow_ups: 'fu',
  lease: 'l',
  abandoned: 'ab',
} as const satisfies Record<Exclude<NamesOf<Destination>, 'platform'>, string>;

type Names = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;

/** Returns the values under their stored names. */
export const toStoredNames = (values: Values, names: Names): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [names[name] ?? name, value]));

/** Returns a function that gives values with stored names their own names. */
export function fromStoredNames(names: Names): (stored: Values) => Values {
  const own = Object.fromEntries(Object.entries(names).map(([name, stored]) => [stored, name]));
  return stored => toStoredNames(stored, own);
}
