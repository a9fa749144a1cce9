import { ACCOUNTS } from './accounts.ts';
import { BROADCASTS } from './broadcasts.ts';
import type { Entry, Vocabulary } from './entry.ts';
import { MEDIA } from './media.ts';
import { POSTS } from './posts.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKSPACE } from './workspace.ts';

const VOCABULARY: Vocabulary = { ...POSTS, ...ACCOUNTS, ...MEDIA, ...WORKSPACE, ...WEBHOOKS, ...BROADCASTS };

/** Returns what a field of a named schema means. */
export function entryOf(owner: string, field: string): Entry | undefined {
  return VOCABULARY[`${owner}.${field}`] ?? VOCABULARY[field];
}
