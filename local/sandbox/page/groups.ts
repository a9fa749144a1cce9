import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';
import type { PlatformId } from '../../../shared/model/platform.ts';
import type { Overview, PostOverview } from '../../overview.ts';
import { keyOf } from '../state.ts';

/** A post with all of its destinations, as the page shows it. */
export interface Group {
  id: string;
  /** Name of the profile; null for what no post of the API has published. */
  profile: string | null;
  status: string;
  scheduling: string | null;
  due_at: string | null;
  text: string | null;
  destinations: Destination[];
}

export interface Destination {
  platform: PlatformId;
  handle: string;
  status: string;
  error: { code: string; message: string; remedy: string } | null;
  next_attempt_at: string | null;
  /** Milliseconds from the due time to publication. */
  late_ms: number | null;
  alt_texts: (string | null)[];
  post: SandboxPost | null;
}

/** Joins posts of the API with what the platforms published, newest first. Without an overview there are only the latter. */
export function groupsOf(published: readonly SandboxPost[], overview: Overview | null): Group[] {
  const byKey = new Map(published.map(post => [keyOf(post.platform, post.platform_post_id), post]));
  const known = (overview?.posts ?? []).map(one => ({
    at: one.record.created_at,
    group: groupOf(one, byKey, overview?.handles ?? new Map()),
  }));
  const joined = new Set(known.flatMap(({ group }) => group.destinations.map(({ post }) => post)));
  const others = published
    .filter(post => !joined.has(post))
    .map(post => ({ at: post.published_at, group: groupOfOne(post) }));
  return [...known, ...others].sort((a, b) => b.at.localeCompare(a.at)).map(({ group }) => group);
}

function groupOf(
  { record, due_at }: PostOverview,
  published: ReadonlyMap<string, SandboxPost>,
  handles: ReadonlyMap<string, string>,
): Group {
  return {
    id: record.post_id,
    profile: record.profile_name,
    status: record.status,
    scheduling: record.scheduling,
    due_at: new Date(due_at).toISOString(),
    text: record.description ?? record.title,
    destinations: record.destinations.map(each => ({
      platform: each.platform,
      handle: handles.get(each.social_account_id) ?? '',
      status: each.status,
      error: each.error && { code: each.error.code, message: each.error.message, remedy: each.error.remedy },
      next_attempt_at: each.next_attempt_at,
      late_ms: each.published_at === null ? null : Date.parse(each.published_at) - due_at,
      alt_texts: record.media_alt_texts,
      post: published.get(keyOf(each.platform, each.platform_post_id ?? '')) ?? null,
    })),
  };
}

function groupOfOne(post: SandboxPost): Group {
  return {
    id: keyOf(post.platform, post.platform_post_id),
    profile: null,
    status: 'published',
    scheduling: null,
    due_at: null,
    text: post.text,
    destinations: [
      {
        platform: post.platform,
        handle: post.account,
        status: 'published',
        error: null,
        next_attempt_at: null,
        late_ms: null,
        alt_texts: [],
        post,
      },
    ],
  };
}
