import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../model/json.ts';
import type { SandboxHost, SandboxMedia } from '../../contract/sandbox.ts';
import { badRequest, BotApiError, type BotRequest, type UploadedFile } from './request.ts';

export type FileKind = 'photo' | 'video' | 'animation' | 'document';

/** A file that Telegram keeps; its id is good for this bot only. */
export interface StoredFile {
  id: string;
  path: string;
  kind: FileKind;
  file: UploadedFile;
  media: SandboxMedia & { sha256: string; size: number };
}

const MB = 1_048_576;
const UPLOAD_MAX = 50 * MB;
const PHOTO_MAX = 10 * MB;
const URL_MAX = { photo: 5 * MB, other: 20 * MB };

/** Takes in what a parameter names: a part of the request, `attach://part`, a file id, or a URL that is fetched. */
export function createFileStore(host: SandboxHost) {
  const stored = new Map<string, StoredFile>();

  async function take(kind: FileKind, value: string | undefined, request: BotRequest, part: string) {
    const known = value === undefined ? undefined : stored.get(value);
    if (known) return known;
    const file = await find(kind, value, request, part);
    if (file.bytes.length === 0) throw badRequest('file must be non-empty');
    if (file.bytes.length > UPLOAD_MAX) throw new BotApiError(413, 'Request Entity Too Large');
    const media = await host.storeMedia(file.bytes);
    if (kind === 'photo') checkPhoto(media);
    return keep(kind, file, media);
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

  function keep(kind: FileKind, file: UploadedFile, media: StoredFile['media']): StoredFile {
    const id = `Ag${createHash('sha256').update(`${stored.size}:${media.sha256}`).digest('base64url').slice(0, 40)}`;
    const path = `${kind}s/file_${stored.size}`;
    const kept: StoredFile = { id, path, kind: shownAs(kind, media.type), file, media };
    stored.set(id, kept);
    return kept;
  }

  return {
    take,
    byId: (id: string) => stored.get(id),
    byPath: (path: string) => [...stored.values()].find(file => file.path === path),
    clear: () => stored.clear(),
  };
}
export type FileStore = ReturnType<typeof createFileStore>;

/** A GIF is an animation whichever way it comes; what is no MP4 is a document. */
function shownAs(kind: FileKind, type: string): FileKind {
  if (kind === 'photo') return kind;
  if (type === 'image/gif') return 'animation';
  return kind === 'video' && type !== 'video/mp4' ? 'document' : kind;
}

function checkPhoto({ type, size, width, height }: StoredFile['media']): void {
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

const UNPROBED = 10 * MB;

/** The fields of a message that show a file. */
export function shownFile({ id, kind, file, media }: StoredFile, values: BotRequest['values']): JsonObject {
  const base = { file_id: id, file_unique_id: id.slice(2, 16), file_size: media.size };
  if (kind === 'photo') {
    return { photo: [{ ...base, width: media.width ?? 0, height: media.height ?? 0 }] };
  }
  const named = { ...base, file_name: file.name, mime_type: media.type };
  if (kind === 'document') return { document: named };
  const number = (name: string, probed: number | undefined) =>
    Number(values.get(name) ?? (media.size > UNPROBED ? 0 : (probed ?? 0)));
  const moving = {
    ...named,
    width: number('width', media.width) || 320,
    height: number('height', media.height) || 320,
    duration: number('duration', Math.round(media.duration ?? 0)),
  };
  return kind === 'video' ? { video: moving } : { animation: moving, document: named };
}
