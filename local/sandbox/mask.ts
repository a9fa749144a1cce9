import type { Json, JsonObject } from '../../shared/model/json.ts';
import type { SandboxSecrets } from '../../shared/platforms/contract/sandbox.ts';

export const MASK = '***';

/** Names whose value is a secret wherever they occur: headers, query, form fields and JSON. */
const SECRET_NAME =
  /(?:^|[_-])(?:token|secret|password|passwd|jwt|assertion|verifier|signature|(?:api|private)_?key)$/;
/** Names like `next_token` are pagination cursors. */
const CURSOR_NAME = /(?:^|_)(?:next|previous|prev|page|pagination|continuation|sync)_token$/;

const SECRET_HEADERS = ['cookie', 'set-cookie', 'dpop', 'proxy-authorization'];
const AUTH_SCHEME = /^(Bearer|Basic|OAuth|DPoP)\s/i;

/** Replaces the secrets in the parts of a request or response. */
export interface Mask {
  headers: (headers: Readonly<Record<string, string>>) => Record<string, string>;
  path: (path: string) => string;
  /** Masks a raw query string and keeps everything else as it was sent. */
  query: (query: string) => string;
  value: (value: Json) => Json;
}

export function createMask(secrets: SandboxSecrets = {}): Mask {
  const isHeader = (name: string) =>
    SECRET_HEADERS.includes(name) || secrets.headers?.includes(name) === true || isSecretName(name);
  // The authorization code of a redirect.
  const isParameter = (name: string) =>
    name === 'code' || secrets.query?.includes(name) === true || isSecretName(name);
  const isField = (name: string) => secrets.fields?.includes(name) === true || isSecretName(name);

  function header(name: string, value: string): string {
    if (name !== 'authorization') return isHeader(name) ? MASK : value;
    const scheme = AUTH_SCHEME.exec(value)?.[1];
    return scheme === undefined ? MASK : `${scheme} ${MASK}`;
  }

  function parameter(pair: string): string {
    const name = pair.split('=', 1)[0] ?? '';
    return isParameter(decoded(name)) && pair.length > name.length ? `${name}=${MASK}` : pair;
  }

  function value(json: Json): Json {
    if (Array.isArray(json)) return json.map(value);
    return json === null || typeof json !== 'object' ? json : object(json);
  }

  /** `code` is a secret in a token request only; in other objects it is an error code. */
  function object(members: JsonObject): JsonObject {
    const isTokenRequest = 'grant_type' in members || 'code_verifier' in members;
    return Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        isField(name) || (isTokenRequest && name === 'code') ? hidden(member) : value(member),
      ]),
    );
  }

  /** Masks strings only: a number or boolean under such a name (`has_password`) is not a secret. */
  function hidden(json: Json): Json {
    if (typeof json === 'string') return MASK;
    return Array.isArray(json) ? json.map(hidden) : value(json);
  }

  return {
    headers: headers =>
      Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, header(name, text)])),
    path: path => (secrets.path ? path.replace(secrets.path, MASK) : path),
    query: query => query.split('&').map(parameter).join('&'),
    value,
  };
}

function isSecretName(name: string): boolean {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  return SECRET_NAME.test(words) && !CURSOR_NAME.test(words);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
