import type { Context, Hono } from 'hono';
import { bearerOf } from '../../families/google/sandbox/tokens.ts';
import type { JsonObject } from '../../../model/json.ts';
import { badParameter, badVideo, end, refuse, unauthorized } from './errors.ts';
import { guarded, readJson, requireSameParts, respond, type Guard, type Request } from './guard.ts';
import { member, readPlacement, readRecording, readSnippet, readStatus } from './metadata.ts';
import { randomId, type Channel, type Session, type Video, type YoutubeState } from './state.ts';
import { showVideo, videoResource } from './videos.ts';

const UNIT = 262_144;
const SESSION_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
const BAD_RANGE = 'Failed to parse Content-Range header.';

/** The resumable upload protocol of Google, byte for byte. */
export function addUploads(app: Hono, guard: Guard, root: string): void {
  const path = `${root}/upload/youtube/v3/videos`;
  app.post(
    path,
    guarded(guard, 'insert', request => open(guard.state, request)),
  );
  app.put(path, c => respond(c, () => receive(guard, c)));
}

async function open(state: YoutubeState, { c, channel, parts }: Request): Promise<Response> {
  if (c.req.query('uploadType') !== 'resumable') end(400, 'Invalid Upload Request');
  const type = c.req.header('x-upload-content-type') ?? '';
  if (!/^video\/|^application\/octet-stream$/.test(type)) {
    badParameter(
      'mediaBodyRequired',
      'X-Upload-Content-Type',
      'The request does not include the video content.',
    );
  }
  const size = Number(c.req.header('x-upload-content-length'));
  if (!(size > 0)) end(400, 'Invalid Upload Request');
  const body = await readJson(c);
  requireSameParts(body, parts);
  validate(body, channel);
  requireDailyUpload(state, channel);

  const id = `AEnB2U${randomId(48)}`;
  state.sessions.set(id, {
    channel_id: channel.id,
    size,
    type,
    slug: c.req.header('slug') ?? '',
    parts: [...parts],
    body,
    notify: c.req.query('notifySubscribers') !== 'false',
    upload: state.host.openUpload(),
    stored: 0,
    part_size: null,
    video_id: null,
    started_at: state.host.now(),
  });
  const query = new URLSearchParams({ ...c.req.query(), upload_id: id });
  return new Response(null, {
    status: 200,
    headers: {
      'content-length': '0',
      location: `https://www.googleapis.com/upload/youtube/v3/videos?${query.toString()}`,
      'x-guploader-uploadid': id,
    },
  });
}

/** Metadata is checked before the first byte is sent. */
function validate(body: Record<string, unknown>, { switches }: Channel) {
  return {
    snippet: readSnippet(member(body, 'snippet'), switches),
    status: readStatus(member(body, 'status')),
    recordingDetails: readRecording(member(body, 'recordingDetails')),
    paidProductPlacementDetails:
      'paidProductPlacementDetails' in body
        ? readPlacement(member(body, 'paidProductPlacementDetails'), switches, true)
        : {},
  };
}

function requireDailyUpload({ videos, host }: YoutubeState, { id, switches }: Channel): void {
  const since = host.now() - DAY_MS;
  const uploads = videos.values().filter(video => video.channel_id === id && video.uploaded_at > since);
  if (uploads.length < switches.daily_uploads) return;
  refuse(400, 'uploadLimitExceeded', 'The user has exceeded the number of videos they may upload.', {
    domain: 'youtube.video',
  });
}

/** One PUT to a session: a part, the whole file, or a question for its state. */
async function receive(guard: Guard, c: Context): Promise<Response> {
  const { state, tokens } = guard;
  const token = bearerOf(tokens, c.req.header('authorization'));
  if (!token) return unauthorized();
  const session = state.sessions.get(c.req.query('upload_id') ?? '');
  const channel = session && state.channels.get(session.channel_id);
  if (!channel || session.started_at + SESSION_MS <= state.host.now()) return end(404, 'Not Found');
  if (token.account_id !== channel.id) return refuse(403, 'forbidden', 'Forbidden', { domain: 'global' });
  if (c.req.header('content-length') === undefined) return end(411, 'Length Required');

  const range = c.req.header('content-range');
  const bytes = Buffer.from(await c.req.arrayBuffer());
  const question = /^bytes \*\/(\d+|\*)$/.exec(range ?? '');
  if (question) {
    if (bytes.length > 0) return end(400, BAD_RANGE);
    return answer(c, state, channel, session);
  }
  if (session.video_id !== null) return end(400, BAD_RANGE);
  return store(c, state, channel, session, bytes, range);
}

async function store(
  c: Context,
  state: YoutubeState,
  channel: Channel,
  session: Session,
  bytes: Buffer,
  range: string | undefined,
): Promise<Response> {
  const { first, last, total } = readRange(range, bytes.length);
  if (total !== session.size || last - first + 1 !== bytes.length || last >= total)
    return end(400, BAD_RANGE);
  const isLast = last + 1 === total;
  if (!isLast) requireUnits(session, bytes.length);
  // A part that overlaps or skips is not stored.
  if (first === session.stored) {
    const kept = bytes.subarray(0, channel.switches.keep_bytes ?? bytes.length);
    session.upload.write(kept, session.stored);
    session.stored += kept.length;
  }
  if (session.stored === session.size) await complete(state, channel, session);
  return answer(c, state, channel, session);
}

function readRange(
  range: string | undefined,
  length: number,
): { first: number; last: number; total: number } {
  if (range === undefined) return { first: 0, last: length - 1, total: length };
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? [];
  return total === undefined
    ? end(400, BAD_RANGE)
    : { first: Number(first), last: Number(last), total: Number(total) };
}

/** All parts but the last are multiples of 256 KiB and of one size. */
function requireUnits(session: Session, length: number): void {
  if (length % UNIT !== 0 || length === 0) {
    end(
      400,
      `Invalid request.  The number of bytes uploaded is required to be equal or greater than 262144, except for the final request (it's recommended to be the exact multiple of 262144).  The received request contained ${length} bytes, which does not meet this requirement.`,
    );
  }
  if (session.part_size !== null && session.part_size !== length) end(400, 'Invalid Upload Request');
  session.part_size = length;
}

/** Makes the video. Before this, none exists. */
async function complete(state: YoutubeState, channel: Channel, session: Session): Promise<void> {
  const file = await session.upload.store();
  const id = randomId(8);
  const { width = 0, height = 0, duration = null } = file;
  const video: Video = {
    id,
    channel_id: channel.id,
    uploaded_at: state.host.now(),
    file: { name: session.slug, size: file.size, sha256: file.sha256, type: file.type },
    duration,
    vertical: width > 0 && width <= height,
    invalid: fileProblem(file.type, duration, channel),
    ...(validate(session.body, channel) as Pick<
      Video,
      'snippet' | 'status' | 'recordingDetails' | 'paidProductPlacementDetails'
    >),
    regionRestriction: null,
    notify: session.notify,
    thumbnail: null,
    request: {
      ...(session.body as JsonObject),
      notifySubscribers: session.notify,
      part: session.parts.join(','),
    },
  };
  state.videos.set(id, video);
  session.video_id = id;
  showVideo(state, video);
}

const UNVERIFIED_SECONDS = 15 * 60;

function fileProblem(type: string, duration: number | null, { switches }: Channel): string | null {
  if (!type.startsWith('video/')) return 'invalidFile';
  return switches.long_uploads !== 'allowed' && (duration ?? 0) > UNVERIFIED_SECONDS ? 'length' : null;
}

function answer(c: Context, state: YoutubeState, { switches }: Channel, session: Session): Response {
  const { stored, video_id } = session;
  if (video_id === null) {
    const headers = { 'content-length': '0', ...(stored > 0 ? { range: `bytes=0-${stored - 1}` } : {}) };
    return new Response(null, { status: 308, headers });
  }
  const video = state.videos.get(video_id);
  if (switches.forget_finished) {
    for (const [id, each] of state.sessions) if (each === session) state.sessions.delete(id);
  }
  if (!video) return badVideo('videoNotFound', 'id', 'id');
  return c.json(videoResource(state, video, session.parts), switches.created_status);
}
