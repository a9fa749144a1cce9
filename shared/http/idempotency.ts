import { createHash, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import * as v from 'valibot';
import { open, seal } from '../aws/key-ring.ts';
import type { Principal } from '../model/workspace.ts';
import { describeError, log } from '../runtime/log.ts';
import type { Services } from '../runtime/services.ts';
import { releaseKey, keepAnswer, acquireKey, takeOver, type Seed, type Use } from '../store/idempotency.ts';
import { ApiError, conflict, validationFailed, type ApiResponse } from './errors.ts';
import type { RawRequest, Route } from './route.ts';

/** Answers that an unchanged repetition may well not get: malformed input changes nothing, limits pass, faults end. */
const isKept = (status: number) => status < 500 && status !== 400 && status !== 429;

const AnswerSchema = v.object({
  status: v.number(),
  body: v.optional(v.unknown()),
  headers: v.optional(v.record(v.string(), v.string()), {}),
});

type Run = (raw: RawRequest) => Promise<ApiResponse>;

/**
 * Runs a creating request at most once for its `Idempotency-Key`: a repetition gets the first answer, another body
 * under the same key 422, and 409 as long as the first request runs. Without the header it just runs. A run that
 * vanished is repeated once its lock has ended, with the ids it had.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export async function answerOnce(
  services: Services,
  route: Route,
  raw: RawRequest,
  content: string,
  run: Run,
): Promise<ApiResponse> {
  const header = route.creates ? raw.headers['idempotency-key'] : undefined;
  if (header === undefined || raw.principal === null) return run(raw);
  const scope = digest(raw.principal.workspace_id, route.method, route.path, readKey(header));
  const mine = {
    fingerprint: fingerprintOf(raw, raw.principal, content),
    seed: { id: randomUUID(), at: services.now() },
    run: randomUUID(),
  };
  const earlier = await acquireKey(services.table, scope, mine, services.now());
  if (!earlier) return runAs(services, scope, mine.run, mine.seed, raw, run);
  if (earlier.fingerprint !== mine.fingerprint) throw otherRequest();
  if (earlier.answer !== null) return replay(services, scope, earlier.answer);
  await takeOverFrom(services, scope, earlier, mine.run);
  return runAs(services, scope, mine.run, earlier.seed, raw, run);
}

/** Throws 409 while the earlier run may still be alive. */
async function takeOverFrom(services: Services, scope: string, earlier: Use, run: string): Promise<void> {
  const now = services.now();
  if (earlier.locked_until === null || earlier.locked_until > now) throw stillRunning();
  if (!(await takeOver(services.table, scope, earlier, run, now))) throw stillRunning();
}

async function runAs(
  services: Services,
  scope: string,
  name: string,
  seed: Seed,
  raw: RawRequest,
  run: Run,
): Promise<ApiResponse> {
  try {
    const answer = await answerOf(() => run({ ...raw, newResourceId: idsOf(seed), asked_at: seed.at }));
    await settle(services, scope, name, answer);
    return answer;
  } catch (error) {
    await quietly('An idempotency key could not be freed', () => releaseKey(services.table, scope, name));
    throw error;
  }
}

/** A thrown answer is an answer too. */
async function answerOf(run: () => Promise<ApiResponse>): Promise<ApiResponse> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError) return error.response;
    throw error;
  }
}

/** The request is answered whatever happens here: at worst a repetition runs again and meets the same ids. */
function settle(services: Services, scope: string, run: string, answer: ApiResponse): Promise<void> {
  return quietly('An answer could not be kept for its idempotency key', async () => {
    if (!isKept(answer.status)) return releaseKey(services.table, scope, run);
    // Answers carry secrets that are shown once.
    const sealed = seal(await services.keyRing(), scope, JSON.stringify(answer));
    return keepAnswer(services.table, scope, run, sealed);
  });
}

async function quietly(complaint: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn(complaint, describeError(error));
  }
}

async function replay(services: Services, scope: string, sealed: string): Promise<ApiResponse> {
  const json: unknown = JSON.parse(open(await services.keyRing(), scope, sealed));
  const { status, body, headers } = v.parse(AnswerSchema, json);
  return { status, body, headers: { ...headers, 'idempotent-replayed': 'true' } };
}

/**
 * The key as a plain text or as a structured-field string in quotes: 1 to 255 printable ASCII characters.
 * Throws 400 for anything else.
 */
function readKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header.trim())?.[1];
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? header.trim();
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const message = 'Must be 1 to 255 printable ASCII characters';
  throw validationFailed([{ field: 'Idempotency-Key', message, platform: null }]);
}

/** Who asks for what. One user of a workspace does not get to see what another was answered. */
function fingerprintOf(raw: RawRequest, principal: Principal, content: string): string {
  const { body, params, query } = raw;
  return digest(
    principal.user_id,
    canonical(body === undefined ? content : body),
    canonical([params, query]),
  );
}

/** JSON whose text does not depend on the order of names. */
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

/** The ids of a run: the same seed gives the same ids in the same order. */
function idsOf({ id, at }: Seed): () => string {
  let count = 0;
  return () => v7({ msecs: at, random: createHash('sha256').update(`${id} ${count++}`).digest() });
}

const otherRequest = () =>
  new ApiError({
    status: 422,
    body: {
      error: 'This Idempotency-Key was used for another request',
      code: 'IDEMPOTENCY_KEY_REUSED',
    },
  });

const stillRunning = () =>
  new ApiError({
    ...conflict('A request with this Idempotency-Key is still running', { code: 'IDEMPOTENCY_KEY_IN_USE' })
      .response,
    headers: { 'retry-after': '1' },
  });
