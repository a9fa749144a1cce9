import type { FileLimits, PictureNeeds, PlatformRules } from '../../shared/platforms/contract/rules.ts';
import { GB, KB, MB } from '../../shared/platforms/kit/sizes.ts';
import { code, table } from './table.ts';

/** What files may be at each platform, and what becomes of pictures that its own rules do not allow. */
export function filesPart(all: readonly PlatformRules[]): string[] {
  return [
    '## Files',
    'Checked as soon as anything is known of a file: when a post is made, for files that lie with the service; by' +
      ' `POST /posts/validate`, which looks at all of them; and again when the post is published. A file outside of' +
      ' them is refused with the limit and its own value (`MEDIA_REJECTED` at publication).',
    table(['Platform', 'Kind', 'Formats', 'Size', 'Duration', 'Picture', 'Encoding'], all.flatMap(fileRows)),
    '## Pictures that are made to fit',
    'What each platform itself takes. A picture that keeps this goes as it is, byte for byte. Any other is made anew:' +
      ' upright, in sRGB, without notes of the camera, never larger than it was; as JPEG, or, where something shines' +
      ' through it, as the column says. Videos are never made anew.',
    table(
      ['Platform', 'As it is', 'Size', 'Pixels', 'Transparency', 'Pictures that move'],
      all.flatMap(pictureRows),
    ),
  ];
}

function fileRows(rules: PlatformRules): string[][] {
  const common = Object.entries(rules.files).map(([kind, limits]) => fileRow(rules, kind, limits));
  const closer = (rules.file_variants ?? []).map(({ name, limits }) => fileRow(rules, name, limits));
  const covers = Object.entries(rules.covers ?? {}).map(([name, { limits }]) =>
    fileRow(rules, code(name), limits),
  );
  return [...common, ...closer, ...covers];
}

function fileRow(rules: PlatformRules, kind: string, limits: Partial<FileLimits>): string[] {
  return [
    rules.display_name,
    kind,
    limits.formats?.join(', ') ?? '',
    sizes(limits.min_bytes, limits.max_bytes),
    range(limits.min_seconds, limits.max_seconds, ' s'),
    joined([
      named('width', range(limits.min_width, limits.max_width, ' px')),
      named('height', range(limits.min_height, limits.max_height, ' px')),
      named('width : height', range(limits.min_aspect, limits.max_aspect, '')),
    ]),
    joined([
      limits.video_codecs?.join(', '),
      named('sound', limits.audio_codecs?.join(', ') ?? ''),
      range(limits.min_frame_rate, limits.max_frame_rate, ' frames/s'),
    ]),
  ];
}

function pictureRows({ display_name, pictures, covers = {} }: PlatformRules): string[][] {
  return [
    ...(pictures ? [pictureRow(display_name, pictures)] : []),
    ...Object.entries(covers).map(([field, { needs }]) => pictureRow(code(field), needs)),
  ];
}

const MOVING: Readonly<Record<PictureNeeds['animation'], string>> = {
  kept: 'kept as they are, never made anew',
  still: 'the first frame shows',
  refused: 'refused',
};

function pictureRow(name: string, needs: PictureNeeds): string[] {
  const { alpha, animation, moving = {} } = needs;
  return [
    name,
    needs.formats.join(', '),
    sizes(undefined, needs.max_bytes),
    joined([
      named('in all', range(undefined, needs.max_pixels, '')),
      named('longer side', range(undefined, needs.max_long_side, '')),
      named('shorter side', range(undefined, needs.max_short_side, '')),
      named('width + height', range(undefined, needs.max_sides, '')),
      named('width : height', range(needs.min_aspect, needs.max_aspect, '')),
      needs.same_aspect === true ? 'all of a post in one shape' : '',
    ]),
    alpha === 'white' ? 'on white' : alpha,
    joined([
      MOVING[animation],
      sizes(undefined, moving.max_bytes),
      named('width', range(undefined, moving.max_width, ' px')),
      named('height', range(undefined, moving.max_height, ' px')),
      needs.moves_alone === true ? 'alone in a post' : '',
    ]),
  ];
}

const named = (name: string, value: string) => (value === '' ? '' : `${name} ${value}`);

const joined = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(', ');

function sizes(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return '';
  return least === undefined ? size(most) : `${size(least)} to ${size(most)}`;
}

const UNITS = [
  [GB, 'GB'],
  [MB, 'MB'],
  [KB, 'KB'],
] as const;

/** In powers of 1024 where a limit is meant so, else in bytes. */
function size(bytes: number): string {
  const unit = UNITS.find(([worth]) => bytes % worth === 0);
  return unit ? `${bytes / unit[0]} ${unit[1]}` : `${bytes.toLocaleString('en')} bytes`;
}

/** Two decimals are enough for a ratio. */
const told = (value: number) => Math.round(value * 100) / 100;

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined) return most === undefined ? '' : `up to ${told(most)}${unit}`;
  return most === undefined ? `from ${told(least)}${unit}` : `${told(least)} to ${told(most)}${unit}`;
}
