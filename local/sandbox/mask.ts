import type { Json, JsonObject } from '../../shared/model/json.ts';
import type { PlatformId } from '../../shared/model/platform.ts';

export const MASK = '***';

/** Names whose text is a secret, in headers, fields, JSON and queries alike. */
const SECRET =
  /(?:^|[_-])(?:token|secret|password|passwd|jwt|assertion|verifier|signature|(?:api|private)_?key)$/;
/** `next_token` and its like are places in a list. */
const CURSOR = /(?:^|_)(?:next|previous|prev|page|pagination|continuation|sync)_token$/;

const SECRET_HEADERS = ['cookie', 'set-cookie', 'dpop', 'proxy-authorization'];
const SCHEME = /^(Bearer|Basic|OAuth|DPoP)\s/i;

/** Secrets that a platform has in the path. */
const SECRET_PATHS: Partial<Record<PlatformId, RegExp>> = { telegram: /(?<=^\/(?:file\/)?bot)[^/]+/ };

function isSecret(name: string): boolean {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  return SECRET.test(words) && !CURSOR.test(words);
}

/** The headers with the credential of `authorization` hidden and its scheme kept. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskHeader(name, value)]));
}

function maskHeader(name: string, value: string): string {
  if (name === 'authorization') {
    const scheme = SCHEME.exec(value)?.[1];
    return scheme === undefined ? MASK : `${scheme} ${MASK}`;
  }
  return SECRET_HEADERS.includes(name) || isSecret(name) ? MASK : value;
}

/** `path` is the part before the query. */
export function maskPath(platform: PlatformId, path: string): string {
  const secret = SECRET_PATHS[platform];
  return secret ? path.replace(secret, MASK) : path;
}

/** A raw query string, all but the secrets' values as it came. The code of a consent is a secret here. */
export function maskQuery(query: string): string {
  return query
    .split('&')
    .map(pair => {
      const name = pair.split('=', 1)[0] ?? '';
      const secret = isSecret(decoded(name)) || name === 'code';
      return secret && pair.length > name.length ? `${name}=${MASK}` : pair;
    })
    .join('&');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Any value with the texts under secret names hidden. `code` is one only beside a grant: elsewhere it is an error's. */
export function maskValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskValue);
  if (value === null || typeof value !== 'object') return value;
  return maskObject(value);
}

function maskObject(object: JsonObject): JsonObject {
  const isGrant = 'grant_type' in object || 'code_verifier' in object;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const secret = isSecret(name) || (isGrant && name === 'code');
      return [name, secret ? hidden(value) : maskValue(value)];
    }),
  );
}

/** Hides texts alone: a number or a flag under such a name (`has_password`) tells nothing. */
function hidden(value: Json): Json {
  if (typeof value === 'string') return MASK;
  return Array.isArray(value) ? value.map(hidden) : maskValue(value);
}
