import type { FileLimits, PictureNeeds, PlatformRules } from '../../shared/platforms/contract/rules.ts';
import { GB, KB, MB } from '../../shared/platforms/kit/sizes.ts';
import { code, table } from './table.ts';

/** Returns the sections about file limits and about the conversion of images. */
export function filesSections(all: readonly PlatformRules[]): string[] {
  return [
    '## Files',
    'Limits of the service. Files are validated when a post is created or changed, by `POST /posts/validate`, and again' +
      ' when the post is published. The error names the limit and the value of the file (`MEDIA_REJECTED` at' +
      ' publication). [media.md](media.md) describes which files are probed when.',
    table(
      ['Platform', 'Kind', 'Formats', 'Size', 'Duration', 'Dimensions', 'Encoding'],
      all.flatMap(fileRows),
    ),
    '## Image conversion',
    'What each platform accepts. An image that meets this is sent with its pixels, colour profile and orientation' +
      ' unchanged; only its metadata are removed. Any other is converted: upright, to sRGB, without metadata, never enlarged; to JPEG, or with transparency to what the column says.' +
      ' Videos are never converted.',
    table(
      ['Platform', 'Formats', 'Size', 'Pixels', 'Transparency', 'Animated images'],
      all.flatMap(pictureRows),
    ),
  ];
}

function fileRows(rules: PlatformRules): string[][] {
  const common = Object.entries(rules.files).map(([kind, limits]) => fileRow(rules, kind, limits));
  const variants = (rules.file_variants ?? []).map(({ name, limits }) => fileRow(rules, name, limits));
  const covers = Object.entries(rules.covers ?? {}).map(([name, { limits }]) =>
    fileRow(rules, code(name), limits),
  );
  return [...common, ...variants, ...covers];
}

function fileRow(rules: PlatformRules, kind: string, limits: Partial<FileLimits>): string[] {
  return [
    rules.display_name,
    kind,
    joined([limits.formats?.join(', '), named('as files:', limits.sent_as_file?.join(', ') ?? '')]),
    sizes(limits.min_bytes, limits.max_bytes),
    range(limits.min_seconds, limits.max_seconds, ' s'),
    joined([
      named('width', range(limits.min_width, limits.max_width, ' px')),
      named('height', range(limits.min_height, limits.max_height, ' px')),
      named('width : height', range(limits.min_aspect, limits.max_aspect, '')),
      documented(limits),
    ]),
    joined([
      limits.video_codecs?.join(', '),
      named('audio', limits.audio_codecs?.join(', ') ?? ''),
      range(limits.min_frame_rate, limits.max_frame_rate, ' frames/s'),
    ]),
  ];
}

function documented({ documented: { max_long_side, max_short_side } = {} }: Partial<FileLimits>): string {
  if (max_long_side === undefined || max_short_side === undefined) return '';
  return `with a warning above ${max_long_side} x ${max_short_side} px`;
}

function pictureRows({ display_name, pictures, covers = {} }: PlatformRules): string[][] {
  return [
    ...(pictures ? [pictureRow(display_name, pictures)] : []),
    ...Object.entries(covers).map(([field, { needs }]) => pictureRow(code(field), needs)),
  ];
}

const ANIMATION: Readonly<Record<PictureNeeds['animation'], string>> = {
  kept: 'GIFs are kept',
  still: 'first frame only',
  refused: 'refused',
};

const ALBUM: Readonly<Record<'still' | 'refused' | 'same', string>> = {
  still: 'first frame only beside other images',
  refused: 'only one in a post',
  same: '',
};

function pictureRow(name: string, needs: PictureNeeds): string[] {
  const { alpha, animation, animated_limits = {} } = needs;
  return [
    name,
    needs.formats.join(', '),
    sizes(undefined, needs.max_bytes),
    joined([
      named('total', range(undefined, needs.max_pixels, '')),
      named('longer side', range(undefined, needs.max_long_side, '')),
      named('shorter side', range(undefined, needs.max_short_side, '')),
      named('width + height', range(undefined, needs.max_side_sum, '')),
      named('width : height', range(needs.min_aspect, needs.max_aspect, '')),
      named('longer : shorter side', range(undefined, needs.max_side_ratio, '')),
      needs.same_aspect === true ? 'all of a post with the same ratio' : '',
    ]),
    alpha === 'white' ? 'on white' : alpha,
    joined([
      ANIMATION[animation],
      sizes(undefined, animated_limits.max_bytes),
      named('width', range(undefined, animated_limits.max_width, ' px')),
      named('height', range(undefined, animated_limits.max_height, ' px')),
      range(undefined, animated_limits.max_frames, ' frames'),
      named('all frames', range(undefined, animated_limits.max_total_pixels, ' px')),
      ALBUM[needs.animation_in_album ?? 'same'],
      animation === 'kept' ? 'of other formats the first frame' : '',
    ]),
  ];
}

const named = (name: string, value: string) => (value === '' ? '' : `${name} ${value}`);

const joined = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(', ');

function sizes(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return '';
  return min === undefined ? size(max) : `${size(min)} to ${size(max)}`;
}

const UNITS = [
  [GB, 'GB'],
  [MB, 'MB'],
  [KB, 'KB'],
] as const;

/** Formats a size with the largest unit that divides it. */
function size(bytes: number): string {
  const unit = UNITS.find(([worth]) => bytes % worth === 0);
  return unit ? `${bytes / unit[0]} ${unit[1]}` : `${bytes.toLocaleString('en')} bytes`;
}

/** Rounds a ratio to two decimals. */
const rounded = (value: number) => Math.round(value * 100) / 100;

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined) return max === undefined ? '' : `up to ${rounded(max)}${unit}`;
  return max === undefined ? `from ${rounded(min)}${unit}` : `${rounded(min)} to ${rounded(max)}${unit}`;
}
