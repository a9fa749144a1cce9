import { randomInt } from 'node:crypto';
import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { JsonObjectSchema } from '../../../model/json.ts';
import { HOUR } from '../../../time/instant.ts';
import { authorize, INIT, invalid, jsonBody, ok } from './access.ts';
import { assertMayPost } from './creator.ts';
import { checkPosting, VideoInfoSchema } from './posting.ts';
import { accept, assertFewDrafts, newProcess, newPublishId } from './processes.ts';
import { checkOwnership, pull } from './pull.ts';
import { secret, settingsOf, type TikTokState, type Upload } from './state.ts';
import { UPLOAD_HOST, videoProblem } from './upload.ts';

const positive = v.pipe(v.number(), v.integer(), v.minValue(1));

const SourceSchema = v.variant('source', [
  v.strictObject({
    source: v.literal('FILE_UPLOAD'),
    video_size: positive,
    chunk_size: positive,
    total_chunk_count: positive,
  }),
  v.strictObject({ source: v.literal('PULL_FROM_URL'), video_url: v.string() }),
]);
type Source = v.InferOutput<typeof SourceSchema>;
type FileSource = Source & { source: 'FILE_UPLOAD' };

const DirectSchema = v.strictObject({ post_info: VideoInfoSchema, source_info: SourceSchema });
/** `post_info` is ignored. */
const InboxSchema = v.strictObject({
  post_info: v.exactOptional(JsonObjectSchema),
  source_info: SourceSchema,
});

const MAX_VIDEO_BYTES = 4 * 1024 ** 3;
const UPLOAD_LIFE_MS = HOUR;
/** The wide reading of TikTok's megabytes, and the narrow one. */
const LIMITS = {
  wide: { min: 5_000_000, max: 67_108_864, last: 134_217_728 },
  narrow: { min: 5_242_880, max: 64_000_000, last: 128_000_000 },
};

/** Announcing videos: as posts, and as drafts for the inbox of the app. */
export function addVideoInit(api: Hono, state: TikTokState): void {
  api.post('/v2/post/publish/video/init/', async c => {
    const { account } = authorize(c, state, INIT, 'video.publish');
    const body = await jsonBody(c, DirectSchema);
    assertMayPost(state, account, 403);
    checkPosting(state, account, body.post_info);
    return begin(c, state, account, body, false);
  });
  api.post('/v2/post/publish/inbox/video/init/', async c => {
    const { account } = authorize(c, state, INIT, 'video.upload');
    const { source_info } = await jsonBody(c, InboxSchema);
    assertFewDrafts(state, account);
    return begin(c, state, account, { source_info }, true);
  });
}

async function begin(
  c: Context,
  state: TikTokState,
  account: Parameters<typeof newProcess>[1],
  body: { source_info: Source },
  draft: boolean,
): Promise<Response> {
  const { source_info: source } = body;
  const common = { kind: 'video', draft, body } as const;
  if (source.source === 'PULL_FROM_URL') {
    checkOwnership(state, source.video_url);
    const process = newProcess(state, account, { ...common, publish_id: newPublishId('pulled', draft) });
    const file = await pull(state, source.video_url, MAX_VIDEO_BYTES);
    const problem = file ? videoProblem(file, account.max_seconds) : 'video_pull_failed';
    accept(state, process, file ? [file] : [], problem);
    return ok(c, { publish_id: process.publish_id });
  }
  const upload = newUpload(state, source);
  const process = newProcess(state, account, { ...common, publish_id: newPublishId('video', draft), upload });
  const upload_url = `https://${UPLOAD_HOST}/video/?upload_id=${upload.id}&upload_token=${upload.token}`;
  return ok(c, { publish_id: process.publish_id, upload_url });
}

function newUpload(state: TikTokState, source: FileSource): Upload {
  const problem = chunkProblem(state, source);
  if (problem !== null) return invalid(problem);
  return {
    id: String(randomInt(10 ** 9, 10 ** 10)),
    token: secret(''),
    size: source.video_size,
    chunk_size: source.chunk_size,
    chunks: source.total_chunk_count,
    received: 0,
    expires_at: state.host.now() + UPLOAD_LIFE_MS,
  };
}

function chunkProblem(
  state: TikTokState,
  { video_size: size, chunk_size: chunk, total_chunk_count: count }: FileSource,
): string | null {
  const { narrow_mb, refused_chunk_bytes } = settingsOf(state);
  const { min, max, last } = LIMITS[narrow_mb ? 'narrow' : 'wide'];
  const rest = size - chunk * (count - 1);
  const checks: [boolean, string][] = [
    [size <= MAX_VIDEO_BYTES, 'The video size is invalid'],
    [!refused_chunk_bytes.includes(chunk), 'The chunk size is invalid'],
    [count === Math.floor(size / chunk) && count <= 1000, 'The total chunk count is invalid'],
    [count > 1 || (chunk === size && size <= max), 'The chunk size is invalid'],
    [count === 1 || (chunk >= min && chunk <= max && rest <= last), 'The chunk size is invalid'],
  ];
  return checks.find(([holds]) => !holds)?.[1] ?? null;
}
