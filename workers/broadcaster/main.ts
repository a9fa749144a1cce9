import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AV_LOG_ERROR } from 'node-av/constants';
import { Log } from 'node-av/lib';
import * as v from 'valibot';
import { ENV, env } from '../../shared/aws/env.ts';
import { WORKER_ENV } from '../../shared/broadcasts/tasks.ts';
import { readNetSettings } from '../../shared/net/settings.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import { services } from '../../shared/runtime/services.ts';
import { DECODER_LIMITS } from './playlist/decoder-process.ts';
import { runSession, type SessionParts } from './session/run.ts';
import { STREAM_SIZES, StreamSizeSchema } from './sizes.ts';

/*
 * The program of a task: streams one session. Exits with 0 when the broadcast ended as it should, or is not this worker's any
 * more; with 2 when the broadcast failed, which the session tells too; with 1 when the worker failed, and may be replaced.
 */

const EXIT_CODES = { completed: 0, stopped: 0, failed: 2 } as const;
const CRASHED = 1;

const SettingsSchema = v.object({
  size: StreamSizeSchema,
  user_id: v.nullable(v.pipe(v.string(), v.toNumber())),
  attempt: v.pipe(v.string(), v.toNumber()),
});

/** The decoder's program: beside this one, in the sources as in the bundle. */
const DECODER = fileURLToPath(new URL(`decoder/main${extname(import.meta.url)}`, import.meta.url));

function readParts(signal: AbortSignal): SessionParts {
  const { size, user_id, attempt } = v.parse(SettingsSchema, {
    size: env(ENV.broadcastSize),
    // Empty on the local stack.
    user_id: process.env[ENV.decoderUserId] || null,
    attempt: env(WORKER_ENV.attempt),
  });
  const identity = { workspace_id: env(WORKER_ENV.workspaceId), id: env(WORKER_ENV.sessionId), attempt };
  log.appendKeys({ broadcast_id: identity.id, attempt });
  const { allowLoopback, allowPrivate = false } = readNetSettings();
  return {
    identity,
    services: services(),
    format: STREAM_SIZES[size],
    decoder: { program: DECODER, user_id, net: { allowLoopback, allowPrivate }, limits: DECODER_LIMITS },
    signal,
  };
}

Log.setLevel(AV_LOG_ERROR);
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
try {
  const end = await runSession(readParts(stopping.signal));
  process.exit(end ? EXIT_CODES[end.state] : 0);
} catch (error) {
  log.error('The worker failed', describeError(error));
  process.exit(CRASHED);
}
