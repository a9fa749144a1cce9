import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { gifFrames } from '../../kit/sandbox/gif.ts';
import { MB } from '../../kit/sizes.ts';
import { guarded, requireScope, versioned } from './access.ts';
import { badRequest, jsonBody, notFound, refuse, wrongAuthor } from './responses.ts';
import {
  assetId,
  mayActAs,
  organizationIn,
  secret,
  settingsOf,
  type Asset,
  type Grant,
  type LinkedInState,
} from './state.ts';

const MAX_PIXELS = 36_152_320;
const MAX_FRAMES = 250;
const MAX_DOCUMENT = 100 * MB;
const DOCUMENT_TYPES =
  /^application\/(?:pdf|msword|vnd\.ms-powerpoint|vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|presentationml\.presentation)|zip|x-cfb)$/;

const Initialize = v.object({ initializeUploadRequest: v.strictObject({ owner: v.string() }) });

/** Images and documents: one upload URL each, and their state. */
export function addAssets(app: Hono, state: LinkedInState): void {
  for (const kind of ['image', 'document'] as const) {
    const path = `/api.linkedin.com/rest/${kind}s`;
    app.post(
      path,
      versioned(state, (c, grant) => initialize(c, state, grant, kind)),
    );
    app.get(
      `${path}/:urn`,
      versioned(state, (c, grant) => status(c, state, grant)),
    );
  }
  app.put(
    '/www.linkedin.com/dms-uploads/:key/uploaded-file/0',
    guarded(state, (c, grant) => upload(c, state, grant)),
  );
}

async function initialize(
  c: Context,
  state: LinkedInState,
  grant: Grant,
  kind: 'image' | 'document',
): Promise<Response> {
  requireUpload(c);
  const { owner } = (await jsonBody(c, Initialize)).initializeUploadRequest;
  const asset = createAsset(c, state, grant, kind, owner);
  return c.json({
    value: {
      uploadUrlExpiresAt: asset.urlsExpireAt,
      uploadUrl: `https://www.linkedin.com/dms-uploads/${asset.key}/uploaded-file/0?ca=vector_feedshare`,
      [kind]: asset.urn,
    },
  });
}

export function requireUpload(c: Context): void {
  if (c.req.query('action') === 'initializeUpload') return;
  badRequest('PARAM_INVALID', 'action must be initializeUpload');
}

/** Registers an asset that waits for its upload. */
export function createAsset(
  c: Context,
  state: LinkedInState,
  grant: Grant,
  kind: Asset['kind'],
  owner: string,
  size: number | null = null,
): Asset {
  const scope = organizationIn(owner) === null ? 'w_member_social' : 'w_organization_social';
  requireScope(
    c,
    grant,
    `partnerApi${kind[0]?.toUpperCase() ?? ''}${kind.slice(1)}s.ACTION-initializeUpload`,
    scope,
  );
  if (!mayActAs(grant, owner)) wrongAuthor('owner');
  const urn = `urn:li:${kind}:${assetId()}`;
  const asset: Asset = {
    urn,
    kind,
    owner,
    key: secret(),
    size,
    etags: new Map(),
    upload: null,
    urlsExpireAt: state.host.now() + settingsOf(state).upload_url_s * 1000,
    file: null,
    invalid: null,
    uploadedAt: 0,
    reads: 0,
  };
  state.assets.set(urn, asset);
  return asset;
}

/** The file in one request, once. */
async function upload(c: Context, state: LinkedInState, grant: Grant): Promise<Response> {
  const asset = [...state.assets.values()].find(({ key }) => key === c.req.param('key'));
  if (!asset || asset.kind === 'video') return notFound('Upload URL not found');
  if (c.req.header('content-length') === undefined) return refuse(411, null);
  if (!mayActAs(grant, asset.owner)) return refuse(403, null);
  if (asset.urlsExpireAt <= state.host.now())
    return badRequest('EXPIRED_UPLOAD_URL', 'The upload URL has expired');
  if (asset.file) return badRequest('UPDATING_ASSET_FAILED', 'The file was uploaded already');
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  const file = await state.host.storeMedia(bytes);
  asset.file = file;
  asset.uploadedAt = state.host.now();
  asset.invalid = asset.kind === 'image' ? imageFault(file, bytes) : documentFault(file);
  return c.body(null, 201);
}

function imageFault({ type, width = 0, height = 0 }: StoredMedia, bytes: Uint8Array): string | null {
  if (!['image/jpeg', 'image/png', 'image/gif'].includes(type)) return `Unsupported image type ${type}`;
  if (width * height > MAX_PIXELS) return `The image has more than ${MAX_PIXELS} pixels`;
  return gifFrames(bytes) > MAX_FRAMES ? `The GIF has more than ${MAX_FRAMES} frames` : null;
}

function documentFault({ type, size }: StoredMedia): string | null {
  if (!DOCUMENT_TYPES.test(type)) return `Unsupported document type ${type}`;
  return size > MAX_DOCUMENT ? `The document is larger than ${MAX_DOCUMENT} bytes` : null;
}

export type Stage = 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED';

export function stageOf(state: LinkedInState, { file, invalid, uploadedAt }: Asset): Stage {
  if (!file) return 'WAITING_UPLOAD';
  const { seconds, outcome } = state.host.processing('linkedin');
  if (state.host.now() - uploadedAt < seconds * 1000) return 'PROCESSING';
  return invalid === null && outcome === 'ok' ? 'AVAILABLE' : 'PROCESSING_FAILED';
}

/** Images and documents of members cannot be read. */
function status(c: Context, state: LinkedInState, grant: Grant): Response {
  const asset = state.assets.get(c.req.param('urn') ?? '');
  const kind = asset?.kind ?? 'image';
  const isReadable =
    asset && organizationIn(asset.owner) !== null && grant.scopes.includes('r_organization_social');
  if (!isReadable || !mayActAs(grant, asset.owner)) {
    const message = `Accessing this ${kind} resource is forbidden. Please check your permissions for this resource`;
    return refuse(403, { status: 403, code: 'ACCESS_DENIED', message });
  }
  return c.json({ id: asset.urn, owner: asset.owner, status: stageOf(state, asset) });
}
