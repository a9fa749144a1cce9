import * as v from 'valibot';

/** What a file is in a post. */
export type MediaKind = 'image' | 'video' | 'document';

/** Accepted formats, by the names that users know. */
export const MEDIA_FORMATS = {
  JPG: 'image',
  PNG: 'image',
  GIF: 'image',
  WebP: 'image',
  BMP: 'image',
  MP4: 'video',
  MOV: 'video',
  AVI: 'video',
  WMV: 'video',
  FLV: 'video',
  WebM: 'video',
  '3GP': 'video',
  MKV: 'video',
  PDF: 'document',
} as const satisfies Record<string, MediaKind>;
export type MediaFormat = keyof typeof MEDIA_FORMATS;

export const MediaFormatSchema = v.picklist([
  'JPG',
  'PNG',
  'GIF',
  'WebP',
  'BMP',
  'MP4',
  'MOV',
  'AVI',
  'WMV',
  'FLV',
  'WebM',
  '3GP',
  'MKV',
  'PDF',
] as const satisfies readonly MediaFormat[]);

/** The media type and file extension with which each format is stored and served. */
export const FILE_OF_FORMAT: Readonly<Record<MediaFormat, { type: string; extension: string }>> = {
  JPG: { type: 'image/jpeg', extension: 'jpg' },
  PNG: { type: 'image/png', extension: 'png' },
  GIF: { type: 'image/gif', extension: 'gif' },
  WebP: { type: 'image/webp', extension: 'webp' },
  BMP: { type: 'image/bmp', extension: 'bmp' },
  MP4: { type: 'video/mp4', extension: 'mp4' },
  MOV: { type: 'video/quicktime', extension: 'mov' },
  AVI: { type: 'video/x-msvideo', extension: 'avi' },
  WMV: { type: 'video/x-ms-wmv', extension: 'wmv' },
  FLV: { type: 'video/x-flv', extension: 'flv' },
  WebM: { type: 'video/webm', extension: 'webm' },
  '3GP': { type: 'video/3gpp', extension: '3gp' },
  MKV: { type: 'video/x-matroska', extension: 'mkv' },
  PDF: { type: 'application/pdf', extension: 'pdf' },
};

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** The most bytes of a file: the limit of the most generous platform, or room for images that are reduced for others. */
export const MAX_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 256 * MIB,
  document: 1 * GIB,
  video: 256 * GIB,
};

/** Media types with their aliases: detectors, browsers and object stores use different names. */
const FORMAT_OF_TYPE: ReadonlyMap<string, MediaFormat> = new Map(
  Object.entries({
    'image/jpeg': 'JPG',
    'image/jpg': 'JPG',
    'image/png': 'PNG',
    'image/apng': 'PNG',
    'image/gif': 'GIF',
    'image/webp': 'WebP',
    'image/bmp': 'BMP',
    'image/x-ms-bmp': 'BMP',
    'video/mp4': 'MP4',
    'video/x-m4v': 'MP4',
    'video/quicktime': 'MOV',
    'video/avi': 'AVI',
    'video/vnd.avi': 'AVI',
    'video/x-msvideo': 'AVI',
    'video/x-ms-asf': 'WMV',
    'video/x-ms-wmv': 'WMV',
    'video/x-flv': 'FLV',
    'video/flv': 'FLV',
    'video/webm': 'WebM',
    'video/3gpp': '3GP',
    'video/3gpp2': '3GP',
    'video/matroska': 'MKV',
    'video/x-matroska': 'MKV',
    'application/pdf': 'PDF',
  }),
);

/** Returns the format of a media type; null for one that is not accepted. */
export function formatOfType(type: string): MediaFormat | null {
  return FORMAT_OF_TYPE.get(type.split(';')[0]?.trim().toLowerCase() ?? '') ?? null;
}

/** What is known about a file. Null: unknown, or files of its kind have no such property. */
export interface MediaFacts {
  /** Media type, detected from the bytes. */
  type: string;
  format: MediaFormat;
  kind: MediaKind;
  /** Bytes. */
  size: number | null;
  /** Pixels, after applying the EXIF orientation. */
  width: number | null;
  height: number | null;
  /** Of an image: it has more than one frame. */
  animated: boolean | null;
  /** Of an image: its number of frames, where they were counted. */
  frames: number | null;
  /** Of an image: it has an alpha channel or a transparent colour. */
  alpha: boolean | null;
  /** Seconds. */
  duration: number | null;
  /** Of a video: its tracks. 0: it has none; null: they could not be counted. */
  video_tracks: number | null;
  audio_tracks: number | null;
  /** Frames per second of a video, on average. */
  frame_rate: number | null;
  /** `avc` (H.264), `hevc`, `vp9`, `aac` …; for other codecs the name that the container uses. */
  video_codec: string | null;
  audio_codec: string | null;
}

/** Returns what a file's type alone says. */
export function factsOfType(type: string, format: MediaFormat, size: number | null): MediaFacts {
  return {
    type,
    format,
    kind: MEDIA_FORMATS[format],
    size,
    width: null,
    height: null,
    animated: null,
    frames: null,
    alpha: null,
    duration: null,
    video_tracks: null,
    audio_tracks: null,
    frame_rate: null,
    video_codec: null,
    audio_codec: null,
  };
}
