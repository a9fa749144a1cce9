import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { SECOND } from '../../../time/instant.ts';
import { authorize, jsonBody, ok, refuse, STATUS, type Grant } from './access.ts';
import { isPublic, settle } from './processes.ts';
import { settingsOf, type Process, type TikTokState } from './state.ts';

const BodySchema = v.strictObject({ publish_id: v.string() });

/** The state of a process, and its end by the creator's wish. */
export function addStatus(api: Hono, state: TikTokState): void {
  const find = async (c: Context): Promise<Process> => {
    const grant = authorize(c, state, STATUS, 'video.publish', 'video.upload');
    const { publish_id } = await jsonBody(c, BodySchema);
    settle(state);
    return own(state, grant, publish_id);
  };
  api.post('/v2/post/publish/status/fetch/', async c => answer(c, state, await find(c)));
  api.post('/v2/post/publish/cancel/', async c => {
    const process = await find(c);
    if (process.live_at !== null || process.problem !== null) {
      return refuse(400, 'publish_not_cancellable', 'The publish cannot be cancelled.');
    }
    state.processes.set(process.publish_id, { ...process, problem: 'publish_cancelled' });
    return c.json({ error: { code: 'ok', message: '', log_id: '202611270102030405' } });
  });
}

function own({ processes }: TikTokState, { account }: Grant, publishId: string): Process {
  const process = processes.get(publishId);
  if (!process) return refuse(400, 'invalid_publish_id', 'The publish_id does not exist.');
  if (process.account_id === account.id) return process;
  return refuse(
    400,
    'token_not_authorized_for_specified_publish_id',
    'The token is not authorized for this publish_id.',
  );
}

function answer(c: Context, state: TikTokState, process: Process): Response {
  const { kind, problem, live_at, draft, upload } = process;
  const isReady = isProcessed(state, process);
  const progress = upload ? { uploaded_bytes: upload.received } : {};
  if (problem !== null && isReady) return ok(c, { status: 'FAILED', fail_reason: problem, ...progress });
  if (live_at === null) {
    const status = kind === 'photo' || !upload ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD';
    return ok(c, { status, ...progress });
  }
  if (draft) return ok(c, { status: 'SEND_TO_USER_INBOX', ...progress });
  state.processes.set(process.publish_id, { ...process, reads: process.reads + 1 });
  return complete(state, process, progress);
}

/** What is wrong with a file shows once it was processed. */
function isProcessed({ host }: TikTokState, { accepted_at, problem }: Process): boolean {
  if (accepted_at === null) return problem !== null;
  return host.now() - accepted_at >= host.processing('tiktok').seconds * SECOND;
}

/** The ids are numbers above 2^53, which only text can hold. They come late, and for public posts only. */
function complete(state: TikTokState, process: Process, progress: object): Response {
  const { unnamed_reads, unnamed_s } = settingsOf(state);
  const { reads, live_at, post_id } = process;
  const isNamed = reads >= unnamed_reads && state.host.now() - (live_at ?? 0) >= unnamed_s * SECOND;
  const ids = isNamed && isPublic(process) && post_id !== null ? post_id : '';
  const data = JSON.stringify({ status: 'PUBLISH_COMPLETE', ...progress });
  const named = `${data.slice(0, -1)},"publicaly_available_post_id":[${ids}]}`;
  const error = JSON.stringify({ code: 'ok', message: '', log_id: '202611270102030405' });
  return new Response(`{"data":${named},"error":${error}}`, {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
}
