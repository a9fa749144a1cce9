import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { bearerOf, type GoogleTokens } from '../../families/google/sandbox/tokens.ts';
import { nextQuotaReset } from '../../families/google/quota-reset.ts';
import {
  badParameter,
  end,
  insufficientScopes,
  lengthRequired,
  quotaExceeded,
  refuse,
  signupRequired,
  unauthorized,
  uploadsExhausted,
} from './errors.ts';
import { OPERATIONS, type Operation, type OperationName } from './operations.ts';
import type { Channel, YoutubeState } from './state.ts';

export interface Request {
  c: Context;
  channel: Channel;
  /** The named parts. */
  parts: readonly string[];
}

export interface Guard {
  state: YoutubeState;
  tokens: GoogleTokens;
}

type Handler = (request: Request) => Response | Promise<Response>;

/** Wraps a handler with the checks of token, scopes, parts and quota. */
export function guarded(guard: Guard, name: OperationName, handler: Handler) {
  const operation: Operation = OPERATIONS[name];
  return (c: Context): Promise<Response> =>
    respond(c, () => {
      requireLength(c);
      const channel = requireChannel(guard, c, operation);
      const parts = operation.parts ? requireParts(c, operation.parts) : [];
      count(guard.state, channel, name);
      return handler({ c, channel, parts });
    });
}

/** Answers what `work` throws. Every answer of a read has an ETag of its body. */
export async function respond(c: Context, work: () => Response | Promise<Response>): Promise<Response> {
  try {
    const response = await work();
    if (c.req.method !== 'GET') return response;
    const text = await response.clone().text();
    response.headers.set('etag', `"${createHash('sha1').update(text).digest('base64url')}"`);
    return response;
  } catch (error) {
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  }
}

/** A request with a body, or a POST without one, needs its length. */
export function requireLength(c: Context): void {
  const needsLength = c.req.method === 'POST' || c.req.method === 'PUT';
  if (needsLength && c.req.header('content-length') === undefined) lengthRequired();
}

/** The channel of the token. A token without a channel is good for nothing. */
export function requireChannel({ state, tokens }: Guard, c: Context, { scopes, method }: Operation): Channel {
  const token = bearerOf(tokens, c.req.header('authorization'));
  const channel = token && state.channels.get(token.account_id);
  if (!channel) return unauthorized();
  if (!scopes.some(scope => token.scopes.includes(scope)))
    return insufficientScopes(`youtube.api.v3.V3Data${method}`);
  if (!channel.has_channel && channel.switches.no_channel === 'signup_required') return signupRequired();
  return channel;
}

function requireParts(c: Context, known: readonly string[]): string[] {
  const named = (c.req.queries('part') ?? []).flatMap(part => part.split(',')).filter(Boolean);
  if (named.length === 0) {
    refuse(400, 'required', 'Required parameter: part', {
      domain: 'global',
      location: 'part',
      locationType: 'parameter',
    });
  }
  const unknown = named.find(part => !known.includes(part));
  if (unknown !== undefined) partError('unknownPart', unknown);
  return named;
}

const partError = (reason: string, part: string) =>
  refuse(400, reason, `'${part.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}'`, {
    domain: 'youtube.part',
    location: 'part',
    locationType: 'parameter',
  });

/** Ends the request if the body has an object whose part is not named. */
export function requireSameParts(body: Readonly<Record<string, unknown>>, parts: readonly string[]): void {
  const unnamed = Object.entries(body).find(
    ([name, value]) => typeof value === 'object' && value !== null && !parts.includes(name),
  );
  if (unnamed) partError('unexpectedPart', unnamed[0]);
}

const LIMITS = { uploads: 100, units: 10_000 };

/**
 * Counts a call in the buckets of the project. `POST /_control/limits` announces an exhausted bucket: `{quota: 'units'}`
 * or `{quota: 'uploads', details: false}`.
 */
function count({ units, host }: YoutubeState, channel: Channel, name: OperationName): void {
  const { units: cost, bucket }: Operation = OPERATIONS[name];
  const limit = host.limit('youtube', channel.id) ?? host.limit('youtube', channel.handle);
  if (limit?.['quota'] === 'units' && bucket !== 'uploads') quotaExceeded();
  if (limit?.['quota'] === 'uploads' && bucket === 'uploads') uploadsExhausted(limit['details'] !== false);
  spend(units, host.now(), 'units', Math.max(cost, bucket === 'uploads' ? 0 : 1), quotaExceeded);
  if (bucket === 'uploads') spend(units, host.now(), 'uploads', 1, () => uploadsExhausted(true));
}

/** A day of the quota is named by its end. */
function spend(
  units: YoutubeState['units'],
  now: number,
  bucket: keyof typeof LIMITS,
  cost: number,
  refusal: () => never,
): void {
  const key = `${bucket}#${nextQuotaReset(now)}`;
  const used = units.get(key) ?? 0;
  if (used + cost > LIMITS[bucket]) refusal();
  units.set(key, used + cost);
}

/** Reads a JSON body. */
export async function readJson(c: Context): Promise<Record<string, unknown>> {
  const isJson = /^application\/json\b/.test(c.req.header('content-type') ?? '');
  const body: unknown = isJson ? await c.req.json().catch(() => null) : null;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuse(400, 'parseError', 'Parse Error', { domain: 'global' });
  }
  return body as Record<string, unknown>;
}

/** The value of a parameter that must be there. */
export function required(c: Context, name: string): string {
  const value = c.req.query(name) ?? '';
  return value === '' ? badParameter('missingRequiredParameter', name, `Required parameter: ${name}`) : value;
}

export const notFound = () => end(404, { error: { code: 404, message: 'Not Found', errors: [] } });
