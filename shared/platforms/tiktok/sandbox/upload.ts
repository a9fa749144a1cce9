import type { Context, Hono } from 'hono';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { accept } from './processes.ts';
import { findAccount, type Process, type TikTokState, type Upload } from './state.ts';

/** The real host is one that TikTok names in each answer. */
export const UPLOAD_HOST = 'open-upload.tiktokapis.com';

const TYPES = ['video/mp4', 'video/quicktime', 'video/webm'];

/** The host that takes videos in chunks, one after the other. Its URLs are enough: tokens are refused. */
export function addUpload(app: Hono, state: TikTokState): void {
  app.put(`/${UPLOAD_HOST}/video/`, async c => {
    const { upload_id, upload_token } = c.req.query();
    const process = state.processes.values().find(({ upload }) => upload?.id === upload_id);
    const upload = process?.upload;
    if (!upload || upload.token !== upload_token) return c.body(null, 404);
    if (upload.expires_at <= state.host.now()) return c.body(null, 403);
    return take(c, state, process, upload);
  });
}

async function take(c: Context, state: TikTokState, process: Process, upload: Upload): Promise<Response> {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(c.req.header('content-range') ?? '');
  const [start, last, total] = (range?.slice(1) ?? []).map(Number);
  const isSound =
    start !== undefined &&
    last !== undefined &&
    total === upload.size &&
    bytes.length === last - start + 1 &&
    c.req.header('content-length') === String(bytes.length) &&
    c.req.header('authorization') === undefined &&
    TYPES.includes(c.req.header('content-type') ?? '');
  if (!isSound) return c.body(null, 400);
  const standing = { 'content-range': `bytes 0-${upload.received}/${upload.size}` };
  if (start !== upload.received) return c.body(null, 416, standing);
  if (last + 1 !== endOfChunk(upload)) return c.body(null, 400);
  const received = last + 1;
  const grown: Process = { ...process, upload: { ...upload, received } };
  state.processes.set(process.publish_id, grown);
  const stored = state.uploads.get(process.publish_id) ?? state.host.openUpload();
  state.uploads.set(process.publish_id, stored);
  stored.write(bytes, start);
  if (received < upload.size) {
    return c.body(null, 206, { 'content-range': `bytes 0-${received}/${upload.size}` });
  }
  state.uploads.delete(process.publish_id);
  const file = await stored.store();
  const seconds = findAccount(state, process.account_id)?.max_seconds ?? 0;
  accept(state, grown, [file], videoProblem(file, process.draft ? MAX_DRAFT_SECONDS : seconds));
  return c.body(null, 201);
}

const MAX_DRAFT_SECONDS = 600;

/** The last chunk has the rest of the bytes too. */
function endOfChunk({ received, chunk_size, chunks, size }: Upload): number {
  const index = received / chunk_size;
  return index >= chunks - 1 ? size : received + chunk_size;
}

const CODECS = ['avc', 'hevc', 'vp8', 'vp9'];

/** Why TikTok does not publish a video; null if it does. */
export function videoProblem(file: StoredMedia, maxSeconds: number): string | null {
  const { type, duration = 0, frame_rate = 0, width = 0, height = 0, video_codec = '' } = file;
  const isVideo = TYPES.includes(type) && CODECS.includes(video_codec);
  const checks: [boolean, string][] = [
    [isVideo, 'file_format_check_failed'],
    [duration >= 3 && duration <= maxSeconds, 'duration_check_failed'],
    [frame_rate >= 22.5 && frame_rate <= 60.5, 'frame_rate_check_failed'],
    [[width, height].every(side => side >= 360 && side <= 4096), 'picture_size_check_failed'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}
