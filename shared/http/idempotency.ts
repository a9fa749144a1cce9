import { createHash, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import * as v from 'valibot';
import { unseal, seal } from '../aws/key-ring.ts';
import type { Principal } from '../model/workspace.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import {
  acquireKey,
  releaseKey,
  storeResponse,
  takeOver,
  type IdempotencyRecord,
  type Seed,
} from '../store/idempotency.ts';
import { ApiError, conflict, validationFailed, type ApiResponse } from './errors.ts';
import type { RawRequest, Route } from './route.ts';

/** Whether a retry gets this response again. A request that failed has changed nothing, so it runs again. */
const isReplayable = (status: number) => status < 400;

const ResponseSchema = v.object({
  status: v.number(),
  body: v.optional(v.unknown()),
  headers: v.optional(v.record(v.string(), v.string()), {}),
});

type Run = (raw: RawRequest) => Promise<ApiResponse>;

/**
 * Runs a creating request at most once for its `Idempotency-Key`. A retry gets the stored response; the same key with
 * another request answers 422, and 409 while the first request is running. When a run ended without a response, a
 * retry runs again after the lock has expired, with the same resource ids. Without the header the request just runs.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export async function runOnce(
  services: Services,
  route: Route,
  raw: RawRequest,
  content: string,
  run: Run,
): Promise<ApiResponse> {
  const header = route.creates ? raw.headers['idempotency-key'] : undefined;
  if (header === undefined || raw.principal === null) return run(raw);
  const scope = digest(raw.principal.workspace_id, route.method, route.path, readKey(header));
  const ours = {
    fingerprint: fingerprintOf(raw, raw.principal, content),
    seed: { id: randomUUID(), at: services.now() },
    run: randomUUID(),
  };
  const earlier = await acquireKey(services.table, scope, ours, services.now());
  if (!earlier) return runAs(services, scope, ours.run, withSeed(raw, ours.seed, false), run);
  if (earlier.fingerprint !== ours.fingerprint) throw keyReused();
  if (earlier.response !== null) return replay(services, scope, earlier.response);
  await takeOverFrom(services, scope, earlier, ours.run);
  return runAs(services, scope, ours.run, withSeed(raw, earlier.seed, true), run);
}

/** Throws 409 while the earlier run may still be running. */
async function takeOverFrom(
  services: Services,
  scope: string,
  earlier: IdempotencyRecord,
  run: string,
): Promise<void> {
  const now = services.now();
  if (earlier.locked_until === null || earlier.locked_until > now) throw keyInUse();
  if (!(await takeOver(services.table, scope, earlier, run, now))) throw keyInUse();
}

async function runAs(
  services: Services,
  scope: string,
  runId: string,
  raw: RawRequest,
  run: Run,
): Promise<ApiResponse> {
  try {
    const response = await responseOf(() => run(raw));
    await settle(services, scope, runId, response);
    return response;
  } catch (error) {
    await logFailure('Could not release an idempotency key', () => releaseKey(services.table, scope, runId));
    throw error;
  }
}

const withSeed = (raw: RawRequest, seed: Seed, is_rerun: boolean): RawRequest => ({
  ...raw,
  newResourceId: idsOf(seed),
  asked_at: seed.at,
  is_rerun,
});

/** Also returns a response that was thrown. */
async function responseOf(run: () => Promise<ApiResponse>): Promise<ApiResponse> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError) return error.response;
    throw error;
  }
}

/** Stores the response or releases the key. A failure is logged only: a retry then runs again with the same ids. */
function settle(services: Services, scope: string, runId: string, response: ApiResponse): Promise<void> {
  return logFailure('Could not store a response for its idempotency key', async () => {
    if (!isReplayable(response.status)) return releaseKey(services.table, scope, runId);
    // Responses may contain secrets that are shown once.
    const sealed = seal(await services.keyRing(), scope, JSON.stringify(response), 'responses');
    return storeResponse(services.table, scope, runId, sealed);
  });
}

async function logFailure(event: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn(event, describeError(error));
  }
}

async function replay(services: Services, scope: string, sealed: string): Promise<ApiResponse> {
  const json: unknown = JSON.parse(unseal(await services.keyRing(sealed), scope, sealed, 'responses'));
  const { status, body, headers } = v.parse(ResponseSchema, json);
  return { status, body, headers: { ...headers, 'idempotent-replayed': 'true' } };
}

/**
 * Reads the key, either plain or as a quoted structured-field string. Throws 400 unless it has 1 to 255 printable
 * ASCII characters.
 */
function readKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header.trim())?.[1];
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? header.trim();
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters';
  throw validationFailed([{ field: 'Idempotency-Key', message, platform: null }]);
}

/** Digest of user and request. A user never gets the stored response of another user of the workspace. */
function fingerprintOf(raw: RawRequest, principal: Principal, content: string): string {
  const { body, params, query } = raw;
  return digest(
    principal.user_id,
    canonical(body === undefined ? content : body),
    canonical([params, query]),
  );
}

/** JSON text that does not depend on the order of object keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Ids for the resources of a run: the same seed returns the same ids in the same order. */
function idsOf({ id, at }: Seed): () => string {
  let count = 0;
  return () => v7({ msecs: at, random: createHash('sha256').update(`${id} ${count++}`).digest() });
}

const keyReused = () =>
  new ApiError({
    status: 422,
    body: {
      error: 'This Idempotency-Key was already used for a different request; use a new key',
      code: 'IDEMPOTENCY_KEY_REUSED',
    },
  });

const keyInUse = () =>
  new ApiError({
    ...conflict('A request with this Idempotency-Key is still running; retry later', {
      code: 'IDEMPOTENCY_KEY_IN_USE',
    }).response,
    headers: { 'retry-after': '1' },
  });
