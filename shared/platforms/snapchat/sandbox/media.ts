import { createDecipheriv, randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { DAY } from '../../../time/instant.ts';
import { GB, MB } from '../../kit/sizes.ts';
import { authorizeProfile } from './access.ts';
import { invalid, jsonBody, notFound, refuse, success } from './answers.ts';
import { readPartForm, type PartForm } from './form.ts';
import type { SnapchatAccount, SnapchatMedia, SnapchatState } from './state.ts';

/** With the form around it. */
const MAX_PART_BYTES = 32 * MB;
const MAX_PARTS = 35;
const MAX_BYTES = GB;
const MEDIA_LIFE_MS = DAY;

/** Standard Base64 with padding, of this many bytes. */
const base64 = (bytes: number) =>
  v.pipe(
    v.string(),
    v.check(text => Buffer.from(text, 'base64').toString('base64') === text, 'is not standard Base64'),
    v.transform(text => Buffer.from(text, 'base64')),
    v.check(({ length }) => length === bytes, `must be ${bytes} bytes`),
  );

const CreateSchema = v.strictObject({
  type: v.picklist(['VIDEO', 'IMAGE']),
  name: v.pipe(v.string(), v.nonEmpty()),
  key: base64(32),
  iv: base64(16),
});

/** Media objects and their upload in parts. */
export function addMedia(api: Hono, state: SnapchatState): void {
  api.post('/v1/public_profiles/:profile/media', async c => {
    const profile = authorizeProfile(c, state);
    return create(c, state, profile, await jsonBody(c, CreateSchema));
  });
  api.post('/us/v1/public_profiles/:profile/media/:media/multipart-upload', async c => {
    const profile = authorizeProfile(c, state);
    const media = state.media.get(c.req.param('media'));
    if (media?.profile_id !== profile.id) return notFound('Media');
    if (isExpired(state, media)) return expired();
    const form = await readForm(c);
    const action = form.fields.get('action');
    if (action === 'ADD') return add(c, profile, media, form);
    if (action === 'FINALIZE') return finalize(c, state, profile, media, form);
    return invalid("Invalid field 'action'");
  });
}

export const isExpired = ({ host }: SnapchatState, { created_at }: SnapchatMedia) =>
  host.now() - created_at >= MEDIA_LIFE_MS;

export const expired = () => refuse(400, 'MEDIA_EXPIRED', 'The media has expired');

function create(
  c: Context,
  { host, media }: SnapchatState,
  { id: profile_id, media_answer }: SnapchatAccount,
  { type, key, iv }: v.InferOutput<typeof CreateSchema>,
): Response {
  const id = randomUUID();
  media.set(id, {
    id,
    profile_id,
    type,
    key,
    iv,
    created_at: host.now(),
    parts: new Map(),
    finalized_at: null,
    file: null,
    broken: false,
    asked: 0,
    posted_at: null,
  });
  const path = `/us/v1/public_profiles/${profile_id}/media/${id}/multipart-upload`;
  const paths = { add_path: path, finalize_path: path };
  return media_answer === 'flat'
    ? success(c, { media_id: id, ...paths })
    : success(c, { media: [{ sub_request_status: 'SUCCESS', media: { id, ...paths } }] });
}

async function readForm(c: Context): Promise<PartForm> {
  if (!(c.req.header('content-type') ?? '').startsWith('multipart/form-data')) {
    return invalid('Content-Type must be multipart/form-data');
  }
  const length = Number(c.req.header('content-length'));
  if (!Number.isInteger(length)) return refuse(411, null, 'Content-Length is required');
  if (length > MAX_PART_BYTES) return invalid('Media size is too large');
  return (await readPartForm(c.req.raw)) ?? invalid('The form is malformed');
}

function assertFields({ fields, file }: PartForm, names: readonly string[]): void {
  const given = [...fields.keys(), ...(file ? [file.name] : [])];
  if (given.sort().join() !== [...names].sort().join()) {
    invalid(`The form must have exactly the fields ${names.join(', ')}`);
  }
}

function add(c: Context, profile: SnapchatAccount, media: SnapchatMedia, form: PartForm): Response {
  assertFields(form, ['action', 'part_number', 'file']);
  const number = Number(form.fields.get('part_number'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS)
    return invalid("Invalid field 'part_number'");
  if (form.file === null) return invalid("Invalid field 'file': must be a file");
  if (media.finalized_at !== null) return invalid('The upload is complete');
  if (media.parts.has(number) && profile.repeated_part === 'refuse') return invalid('The part exists');
  media.parts.set(number, form.file.bytes);
  const total = [...media.parts.values()].reduce((sum, { length }) => sum + length, 0);
  // The block of padding of a file of exactly this size.
  if (total > MAX_BYTES + 16) return invalid('Media size is too large');
  return success(c);
}

async function finalize(
  c: Context,
  state: SnapchatState,
  profile: SnapchatAccount,
  media: SnapchatMedia,
  form: PartForm,
): Promise<Response> {
  assertFields(form, ['action']);
  if (media.finalized_at !== null) {
    return profile.repeated_finalize === 'accept' ? success(c) : invalid('The upload is complete');
  }
  const { size } = media.parts;
  const hasAll = size > 0 && [...media.parts.keys()].every(number => number <= size);
  if (!hasAll) return invalid('Parts are missing');
  await decrypt(state, media);
  return success(c, { media_id: media.id });
}

const TYPES = { VIDEO: ['video/mp4'], IMAGE: ['image/jpeg', 'image/png'] } as const;

/** Decrypts the parts as Snapchat does. A wrong key, order or padding makes the media unusable for ever. */
async function decrypt({ host }: SnapchatState, media: SnapchatMedia): Promise<void> {
  media.finalized_at = host.now();
  const decipher = createDecipheriv('aes-256-cbc', media.key, media.iv);
  const parts = [...media.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
  media.parts.clear();
  const upload = host.openUpload();
  let size = 0;
  const write = (bytes: Buffer) => {
    upload.write(bytes, size);
    size += bytes.length;
  };
  try {
    for (const part of parts) write(decipher.update(part));
    write(decipher.final());
    const file = await upload.store();
    media.broken = !TYPES[media.type].some(type => type === file.type);
    media.file = file;
  } catch {
    upload.discard();
    media.broken = true;
  }
}
