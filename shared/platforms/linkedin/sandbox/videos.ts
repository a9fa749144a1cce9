import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { MB } from '../../kit/sizes.ts';
import { versioned } from './access.ts';
import { createAsset, stageOf } from './assets.ts';
import { badRequest, jsonBody, notFound, refuse, wrongAuthor } from './responses.ts';
import { etagOf, mayActAs, settingsOf, type Asset, type Grant, type LinkedInState } from './state.ts';

const PART = 4 * MB;

const Initialize = v.object({
  initializeUploadRequest: v.strictObject({
    owner: v.string(),
    fileSizeBytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
    uploadCaptions: v.optional(v.boolean()),
    uploadThumbnail: v.optional(v.boolean()),
  }),
});

const Finalize = v.object({
  finalizeUploadRequest: v.strictObject({
    video: v.string(),
    uploadToken: v.string(),
    uploadedPartIds: v.pipe(v.array(v.string()), v.minLength(1)),
  }),
});

/** Upload in parts, each to its own URL, and the video's state. */
export function addVideos(app: Hono, state: LinkedInState): void {
  const root = '/api.linkedin.com/rest/videos';
  app.post(
    root,
    versioned(state, (c, grant) =>
      c.req.query('action') === 'finalizeUpload' ? finalize(c, state, grant) : initialize(c, state, grant),
    ),
  );
  app.get(
    `${root}/:urn`,
    versioned(state, (c, grant) => status(c, state, grant)),
  );
  app.put('/www.linkedin.com/dms-uploads/:key/uploaded-video/:part', c => uploadPart(c, state));
}

async function initialize(c: Context, state: LinkedInState, grant: Grant): Promise<Response> {
  if (c.req.query('action') !== 'initializeUpload') return badRequest('PARAM_INVALID', 'action is unknown');
  const { owner, fileSizeBytes: size } = (await jsonBody(c, Initialize)).initializeUploadRequest;
  const { max_video_bytes } = settingsOf(state);
  if (size > max_video_bytes) {
    return badRequest('INVALID_VALUE_FOR_FIELD', `/fileSizeBytes must be at most ${max_video_bytes}`);
  }
  const asset = createAsset(c, state, grant, 'video', owner, size);
  return c.json({
    value: {
      uploadUrlsExpireAt: asset.urlsExpireAt,
      video: asset.urn,
      uploadInstructions: Array.from({ length: Math.ceil(size / PART) }, (_, index) => ({
        uploadUrl: `https://www.linkedin.com/dms-uploads/${asset.key}/uploaded-video/${index}?ca=vector_feedshare&sauth=s`,
        firstByte: index * PART,
        lastByte: Math.min(size, (index + 1) * PART) - 1,
      })),
      uploadToken: '',
    },
  });
}

/** The signed URL is enough: no token. */
async function uploadPart(c: Context, state: LinkedInState): Promise<Response> {
  const asset = [...state.assets.values()].find(({ key }) => key === c.req.param('key'));
  const index = Number(c.req.param('part'));
  if (asset?.size == null || asset.file || asset.urlsExpireAt <= state.host.now()) return c.body(null, 403);
  const expected = Math.min(PART, asset.size - index * PART);
  if (!Number.isInteger(index) || expected <= 0) return c.body(null, 404);
  if (c.req.header('content-length') === undefined) return c.body(null, 411);
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length !== expected) return c.body(null, 400);
  const etag = etagOf(bytes);
  asset.etags.set(index, etag);
  asset.upload ??= state.host.openUpload();
  asset.upload.write(bytes, index * PART);
  return c.body(null, 200, { etag: `"${etag}"` });
}

async function finalize(c: Context, state: LinkedInState, grant: Grant): Promise<Response> {
  const { video, uploadToken, uploadedPartIds } = (await jsonBody(c, Finalize)).finalizeUploadRequest;
  const asset = state.assets.get(video);
  if (!asset || asset.size === null) return notFound('Video not found');
  if (!mayActAs(grant, asset.owner)) return wrongAuthor('video');
  if (asset.file) return badRequest('UPDATING_ASSET_FAILED', 'The upload of the video was finalized already');
  const expected = Array.from({ length: Math.ceil(asset.size / PART) }, (_, index) => asset.etags.get(index));
  const sent = uploadedPartIds.map(id => id.replace(/^"|"$/g, ''));
  const matches = expected.length === sent.length && expected.every((etag, i) => etag === sent[i]);
  if (uploadToken !== '' || !matches || !asset.upload) {
    return badRequest('UPDATING_ASSET_FAILED', 'The uploaded parts do not match the upload');
  }
  const file = await asset.upload.store();
  asset.file = file;
  asset.uploadedAt = state.host.now();
  asset.invalid = file.type === 'video/mp4' ? null : `Unsupported video type ${file.type}`;
  asset.upload = null;
  return c.body(null, 200);
}

/** Right after the upload, the first reads may be refused. */
function status(c: Context, state: LinkedInState, grant: Grant): Response {
  const asset = state.assets.get(c.req.param('urn') ?? '');
  if (!asset || asset.kind !== 'video') return notFound('Video not found');
  asset.reads += 1;
  if (!mayActAs(grant, asset.owner) || asset.reads <= settingsOf(state).refused_reads) {
    const message =
      'Accessing this video resource is forbidden. Please check your permissions for this resource';
    return refuse(403, { status: 403, code: 'ACCESS_DENIED', message });
  }
  return c.json(statusBody(state, asset));
}

function statusBody(state: LinkedInState, asset: Asset) {
  const stage = stageOf(state, asset);
  const { error } = state.host.processing('linkedin');
  return {
    id: asset.urn,
    owner: asset.owner,
    status: stage,
    ...(stage === 'PROCESSING_FAILED'
      ? { processingFailureReason: asset.invalid ?? error ?? 'UNKNOWN' }
      : {}),
    ...(stage === 'AVAILABLE' ? { duration: Math.round((asset.file?.duration ?? 0) * 1000) } : {}),
  };
}
