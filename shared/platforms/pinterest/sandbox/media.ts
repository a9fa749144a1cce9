import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { HOUR, SECOND } from '../../../time/instant.ts';
import { authorize, jsonBody, refuse } from './access.ts';
import { readUploadForm } from './form.ts';
import { newId, secret, type PinterestState, type PinterestUpload } from './state.ts';

export const UPLOAD_HOST = 'pinterest-media-upload.s3-accelerate.amazonaws.com';
const SCOPES = ['pins:read', 'pins:write'];
const POLICY_LIFE_MS = HOUR;
const MIN_SECONDS = 4;
const MAX_SECONDS = 15 * 60;

/** Registering videos and reading their status. */
export function addMedia(api: Hono, state: PinterestState): void {
  api.post('/v5/media', async c => {
    const { account } = authorize(c, state, SCOPES);
    await jsonBody(c, v.strictObject({ media_type: v.literal('video') }));
    const id = newId();
    const parameters = {
      'x-amz-date': '20260302T100000Z',
      'x-amz-signature': secret(''),
      'x-amz-security-token': secret(''),
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      key: `uploads/11/aa/22/3:video:${account.id}:${id}`,
      policy: secret(''),
      'x-amz-credential': 'ASIA6QZJ64OPIKV7FRVX/20260302/us-east-1/s3/aws4_request',
      'Content-Type': 'multipart/form-data',
    };
    const expires_at = state.host.now() + POLICY_LIFE_MS;
    state.uploads.set(id, { id, account_id: account.id, parameters, expires_at, file: null, uploaded_at: 0 });
    const upload_url = `https://${UPLOAD_HOST}/`;
    return c.json({ media_id: id, media_type: 'video', upload_url, upload_parameters: parameters }, 201);
  });
  api.get('/v5/media/:id', c => {
    const { account } = authorize(c, state, SCOPES);
    const upload = state.uploads.get(c.req.param('id'));
    if (upload?.account_id !== account.id) return refuse(404, 404, 'Media upload not found');
    return c.json({ media_id: upload.id, media_type: 'video', status: statusOf(state, upload) });
  });
}

type Status = 'registered' | 'processing' | 'succeeded' | 'failed';

export function statusOf({ host }: PinterestState, { file, uploaded_at }: PinterestUpload): Status {
  if (file === null) return 'registered';
  const { seconds, outcome } = host.processing('pinterest');
  if (host.now() - uploaded_at < seconds * SECOND) return 'processing';
  const { type, duration = MIN_SECONDS, width } = file;
  const isVideo = ['video/mp4', 'video/quicktime', 'video/x-m4v'].includes(type) && width !== undefined;
  const isTimed = duration >= MIN_SECONDS && duration <= MAX_SECONDS;
  return outcome === 'ok' && isVideo && isTimed ? 'succeeded' : 'failed';
}

/** The storage that takes videos as a browser-style form. */
export function addStorage(app: Hono, state: PinterestState): void {
  app.post(`/${UPLOAD_HOST}/`, c => upload(c, state));
  app.all(`/${UPLOAD_HOST}/*`, () =>
    xml(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.'),
  );
}

function xml(status: number, code: string, message: string): Response {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return new Response(body, { status, headers: { 'content-type': 'application/xml' } });
}

async function upload(c: Context, state: PinterestState): Promise<Response> {
  if (c.req.header('authorization') !== undefined) {
    return xml(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  }
  if (c.req.header('content-length') === undefined) {
    return xml(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  if (!(c.req.header('content-type') ?? '').startsWith('multipart/form-data')) {
    return xml(412, 'PreconditionFailed', 'Bucket POST must be of the enclosure-type multipart/form-data');
  }
  const form = await readUploadForm(c.req.raw, state.host);
  if (form === null) {
    return xml(
      400,
      'InvalidArgument',
      'POST requires exactly one file upload per request, as its last field.',
    );
  }
  const { fields, upload: video } = form;
  const registered = [...state.uploads.values()].find(({ parameters }) => parameters.key === fields['key']);
  const isSigned =
    registered && Object.entries(registered.parameters).every(([key, value]) => fields[key] === value);
  if (!isSigned || Object.keys(fields).length !== Object.keys(registered.parameters).length) {
    video.discard();
    return xml(403, 'AccessDenied', 'Invalid according to Policy: Policy Condition failed.');
  }
  if (registered.expires_at <= state.host.now()) {
    video.discard();
    return xml(403, 'AccessDenied', 'Invalid according to Policy: Policy expired.');
  }
  registered.file = await video.store();
  registered.uploaded_at = state.host.now();
  return new Response(null, { status: 204 });
}
