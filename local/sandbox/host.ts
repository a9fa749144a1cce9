import type { PlatformId } from '../../shared/model/platform.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import type { SandboxHost } from '../../shared/platforms/contract/sandbox.ts';
import type { LocalStore } from '../store.ts';
import { openCollection } from './collections.ts';
import type { MediaStore } from './media-store.ts';
import { ALL_ACCOUNTS, keyOf, type SandboxState } from './state.ts';

export interface HostParts {
  url: string;
  now: () => number;
  state: SandboxState;
  store: LocalStore | null;
  mediaStore: MediaStore;
  http: HttpClient;
}

/** What the sandbox provides to the fake server of one platform. */
export function createHost(owner: PlatformId, parts: HostParts): SandboxHost {
  const { url, now, state, store, mediaStore, http } = parts;
  return {
    now,
    url,
    http,
    publish: state.posts.add,
    unpublish: state.posts.remove,
    posts: platform => state.posts.all().filter(post => post.platform === platform),
    processing: platform => state.processing.get(platform) ?? { seconds: 0, outcome: 'ok', error: null },
    limit: (platform, account) =>
      state.limits.get(keyOf(platform, account)) ?? state.limits.get(keyOf(platform, ALL_ACCOUNTS)) ?? null,
    metrics: (platform, id) => state.metrics.get(keyOf(platform, id)) ?? null,
    storeMedia: mediaStore.add,
    openUpload: mediaStore.openUpload,
    readMedia: sha256 => mediaStore.read(sha256)?.bytes ?? null,
    collection: (name, schema) => openCollection(store, `${owner}:${name}`, schema),
  };
}
