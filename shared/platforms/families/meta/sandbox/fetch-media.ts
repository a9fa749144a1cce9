import { HttpFailure, readAll, type OpenResponse } from '../../../../net/http.ts';
import type { SandboxHost, StoredMedia } from '../../../contract/sandbox.ts';
import { GB } from '../../../kit/sizes.ts';

export const META_USER_AGENT = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 2 * GB;
const MAX_REDIRECTS = 5;

export type Fetched =
  | { type: 'fetched'; file: StoredMedia; contentType: string }
  /** `robots`: robots.txt forbids it; `url`: the URL is not usable; `host`: it did not answer 200. */
  | { type: 'failed'; reason: 'robots' | 'url' | 'host' };

/** Fetches a media file as Meta's servers do: with their user agent, without cookies, as robots.txt allows. */
export async function fetchLikeMeta(host: SandboxHost, text: string): Promise<Fetched> {
  const usable = URL.canParse(text) && /^https?:\/\/[\x21-\x7e]+$/.test(text);
  if (!usable || /(?:^|\.)fbcdn\.net$/.test(new URL(text).hostname)) return { type: 'failed', reason: 'url' };
  if (await isForbidden(host, new URL(text))) return { type: 'failed', reason: 'robots' };
  const response = await get(host, text);
  if (response?.status !== 200) {
    response?.stream.destroy();
    return { type: 'failed', reason: 'host' };
  }
  const contentType = response.headers['content-type'] ?? '';
  const file = await stored(host, response);
  return file ? { type: 'fetched', file, contentType } : { type: 'failed', reason: 'host' };
}

/** Stores the body; null where it breaks off or is too large. */
async function stored({ openUpload }: SandboxHost, { stream }: OpenResponse): Promise<StoredMedia | null> {
  const upload = openUpload();
  let size = 0;
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      upload.write(bytes, size);
      size += bytes.length;
      if (size > MAX_BYTES) break;
    }
  } catch {
    size = Infinity;
  }
  if (size <= MAX_BYTES) return upload.store();
  upload.discard();
  return null;
}

/** Sends the request, following redirects; null without a response. */
async function get({ http }: SandboxHost, start: string): Promise<OpenResponse | null> {
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const request = { method: 'GET', url, headers: { 'user-agent': META_USER_AGENT } } as const;
    const response = await http.open({ ...request, timeoutMs: TIMEOUT_MS }).catch((error: unknown) => {
      if (error instanceof HttpFailure) return null;
      throw error;
    });
    const location = response?.headers['location'];
    if (!response || location === undefined || response.status < 300 || response.status > 399)
      return response;
    response.stream.destroy();
    url = new URL(location, url).href;
  }
  return null;
}

async function isForbidden(host: SandboxHost, url: URL): Promise<boolean> {
  const robots = await get(host, new URL('/robots.txt', url).href);
  if (!robots) return false;
  const body = await readAll(robots.stream, MAX_BYTES).catch(() => Buffer.alloc(0));
  return robots.status === 200 && isDisallowed(body.toString('utf8'), url.pathname);
}

/** Reads the group of Meta's agent, else the one for all agents. */
export function isDisallowed(robots: string, path: string): boolean {
  const groups = new Map<string, string[]>();
  let agents: string[] = [];
  let isOpen = false;
  for (const line of robots.split('\n')) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:\s*(.*?)\s*(?:#.*)?$/.exec(line) ?? [];
    if (/^user-agent$/i.test(name)) {
      agents = isOpen ? [...agents, value.toLowerCase()] : [value.toLowerCase()];
      isOpen = true;
      groups.set(value.toLowerCase(), groups.get(value.toLowerCase()) ?? []);
    } else if (name !== '') {
      isOpen = false;
      if (!/^disallow$/i.test(name) || value === '') continue;
      for (const agent of agents) groups.set(agent, [...(groups.get(agent) ?? []), value]);
    }
  }
  const rules = groups.get('facebookexternalhit') ?? groups.get('*') ?? [];
  return rules.some(rule => path.startsWith(rule));
}
