import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';
import type { SandboxHost, StoredMedia } from '../../contract/sandbox.ts';
import { MB } from '../../kit/sizes.ts';
import { badRequest, BotApiError, type BotRequest, type UploadedFile } from './request.ts';

export type FileKind = 'photo' | 'video' | 'animation' | 'document';

/** A stored file; its id is valid for this bot only. */
const FileSchema = v.object({
  id: v.string(),
  path: v.string(),
  kind: v.picklist(['photo', 'video', 'animation', 'document', 'sticker']),
  name: v.string(),
  /** Content type of the part. */
  type: v.string(),
  media: v.object({
    sha256: v.string(),
    type: v.string(),
    size: v.number(),
    width: v.exactOptional(v.number()),
    height: v.exactOptional(v.number()),
    duration: v.exactOptional(v.number()),
  }),
});
export type StoredFile = v.InferOutput<typeof FileSchema>;

const UPLOAD_MAX = 50 * MB;
const PHOTO_MAX = 10 * MB;
const URL_MAX = { photo: 5 * MB, other: 20 * MB };

/** How a file is taken. `part`: the part of the request that holds it; `isPlain`: without content type detection. */
interface TakeOptions {
  part: string;
  isPlain: boolean;
}

/** Resolves the value of a file parameter: a part of the request, `attach://part`, a file id, or a URL to fetch. */
export function createFileStore(host: SandboxHost) {
  const stored = host.collection('files', FileSchema);

  async function take(
    kind: FileKind,
    value: string | undefined,
    request: BotRequest,
    { part, isPlain }: TakeOptions,
  ) {
    const known = value === undefined ? undefined : stored.get(value);
    if (known) return known;
    const file = await find(kind, value, request, part);
    if (file.bytes.length === 0) throw badRequest('file must be non-empty');
    if (file.bytes.length > UPLOAD_MAX) throw new BotApiError(413, 'Request Entity Too Large');
    if (kind === 'photo') checkExtension(file.name);
    const media = await host.storeMedia(file.bytes);
    if (kind === 'photo') checkPhoto(media);
    return store(kind, file, media, isPlain);
  }

  async function find(kind: FileKind, value: string | undefined, request: BotRequest, part: string) {
    const attached = value?.startsWith('attach://') === true ? value.slice('attach://'.length) : null;
    const file = request.files.get(attached ?? part);
    if (file && (attached !== null || value === undefined)) return file;
    if (attached !== null || value === undefined || value === '') {
      throw badRequest(
        value === undefined
          ? `there is no ${kind} in the request`
          : 'wrong file identifier/HTTP URL specified',
      );
    }
    if (!/^https?:\/\//.test(value)) throw badRequest('wrong file identifier/HTTP URL specified');
    return fetchUrl(kind, value);
  }

  async function fetchUrl(kind: FileKind, url: string): Promise<UploadedFile> {
    const maxBytes = kind === 'photo' ? URL_MAX.photo : URL_MAX.other;
    const response = await host.http
      .send({ method: 'GET', url, timeoutMs: 20_000, maxBytes })
      .catch(() => null);
    if (response?.status !== 200) throw badRequest('failed to get HTTP URL content');
    const type = response.headers['content-type'] ?? '';
    const fits = {
      photo: /^image\//,
      video: /^video\//,
      animation: /^(image\/gif|video\/)/,
      document: /pdf|zip|gif/,
    };
    if (!fits[kind].test(type)) throw badRequest('wrong type of the web page content');
    return { name: new URL(url).pathname.split('/').at(-1) ?? '', type, bytes: response.body };
  }

  function store(kind: FileKind, file: UploadedFile, media: StoredMedia, isPlain: boolean): StoredFile {
    const { sha256, type, size, width, height, duration } = media;
    const number = stored.values().length;
    const id = `Ag${createHash('sha256').update(`${number}:${sha256}`).digest('base64url').slice(0, 40)}`;
    const entry: StoredFile = {
      id,
      path: `${kind}s/file_${number}`,
      kind: isPlain ? kind : shownAs(kind, type),
      name: file.name,
      type: file.type,
      media: {
        sha256,
        type,
        size,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        ...(duration !== undefined && { duration }),
      },
    };
    stored.set(id, entry);
    return entry;
  }

  return {
    take,
    byId: (id: string) => stored.get(id),
    byPath: (path: string) => stored.values().find(file => file.path === path),
    add: async (kind: FileKind, file: UploadedFile) =>
      store(kind, file, await host.storeMedia(file.bytes), true),
    clear: () => stored.clear(),
  };
}
export type FileStore = ReturnType<typeof createFileStore>;

/** A GIF is always shown as animation, a WebP document as sticker, and a video that is not MP4 as document. */
function shownAs(kind: FileKind, type: string): StoredFile['kind'] {
  if (kind === 'photo') return kind;
  if (type === 'image/gif') return 'animation';
  if (type === 'image/webp') return 'sticker';
  return kind === 'video' && type !== 'video/mp4' ? 'document' : kind;
}

const PHOTO_EXTENSIONS = ['jpg', 'jpeg', 'gif', 'png', 'tif', 'bmp'];

function checkExtension(name: string): void {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined || PHOTO_EXTENSIONS.includes(extension)) return;
  throw badRequest(
    `photo has unsupported extension ${extension}. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp`,
  );
}

function checkPhoto({ type, size, width, height }: StoredMedia): void {
  if (size > PHOTO_MAX) {
    throw badRequest(
      `file of size ${size} bytes is too big for a photo; the maximum size is ${PHOTO_MAX} bytes`,
    );
  }
  if (!type.startsWith('image/') || width === undefined || height === undefined) {
    throw badRequest('IMAGE_PROCESS_FAILED');
  }
  const ratio = Math.max(width, height) / Math.min(width, height);
  if (width + height > 10_000 || ratio > 20) throw badRequest('PHOTO_INVALID_DIMENSIONS');
}

/** Telegram does not probe larger uploads. */
const MAX_PROBED = 10 * MB;

/** The fields of a message that contain a file. */
export function shownFile({ id, kind, name, media }: StoredFile, values: BotRequest['values']): JsonObject {
  const base = { file_id: id, file_unique_id: id.slice(2, 16), file_size: media.size };
  if (kind === 'photo') {
    return { photo: [{ ...base, width: media.width ?? 0, height: media.height ?? 0 }] };
  }
  const named = { ...base, file_name: name, mime_type: media.type };
  if (kind === 'document') return { document: named };
  if (kind === 'sticker') return { sticker: { ...base, type: 'regular', width: 512, height: 512 } };
  const number = (name: string, probed: number | undefined) =>
    Number(values.get(name) ?? (media.size > MAX_PROBED ? 0 : (probed ?? 0)));
  const moving = {
    ...named,
    width: number('width', media.width) || 320,
    height: number('height', media.height) || 320,
    duration: number('duration', Math.round(media.duration ?? 0)),
  };
  return kind === 'video' ? { video: moving } : { animation: moving, document: named };
}
