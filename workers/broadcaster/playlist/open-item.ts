import type { CopiedPictures, PictureFormat } from '../format.ts';
import type { ItemFailure } from '../item-error.ts';
import type { ItemReport } from '../reporter.ts';
import { startDecoder, type DecoderProcess, type DecoderSettings } from './decoder-process.ts';

/** An entry of a playlist. */
export interface PlaylistItem {
  id: string;
  /** Entries with the same file have the same. */
  file_id: string;
  /** Returns the file's URL. Called each time the item is opened, as signed URLs expire. */
  url: () => Promise<string>;
}

/** How items are opened. */
export interface ItemSettings {
  format: PictureFormat;
  /** Null where pictures are decoded and encoded again. */
  copied: CopiedPictures | null;
  decoder: DecoderSettings;
}

/** An item that is shown, or is prepared to be. */
export interface OpenItem {
  index: number;
  /** Returns the next tick; null while there is none. */
  take: () => Buffer | null;
  hasTick: () => boolean;
  hasEnded: () => boolean;
  /** Ticks until its declared end; 0 while that is unknown. */
  remainingTicks: () => number;
  /** True when it has kept the stream waiting longer than is bearable. */
  isTooLate: () => boolean;
  /** Why it failed, in case it ends now. */
  report: () => ItemReport;
  stop: () => Promise<void>;
}

/** How long an item may keep the stream waiting, beyond the time that it has played. */
const PATIENCE_S = 10;
/** Containers round their durations: a second, or a fifth of a short file, may be missing. */
const TOLERANCE_MS = 1000;
const TOLERANCE = 1 / 5;

/** Opens an item in a process of its own. Never throws. */
export function openItem(
  item: PlaylistItem,
  index: number,
  { format, copied, decoder: settings }: ItemSettings,
): OpenItem {
  const task = copied ? ({ type: 'copy', copied } as const) : ({ type: 'decode' } as const);
  let decoder: DecoderProcess | null = null;
  let failure: ItemFailure | null = null;
  let isStopped = false;
  let played = 0;
  let waited = 0;

  const started = item
    .url()
    .then(url => {
      if (!isStopped) decoder = startDecoder({ url, format, net: settings.net, task }, settings);
    })
    .catch((error: unknown) => {
      failure = { code: 'UNREACHABLE', message: error instanceof Error ? error.message : String(error) };
    });

  const toMs = (ticks: number) => Math.round((ticks * 1000) / format.fps);
  const isTooLate = () => waited > PATIENCE_S * format.fps + played;

  function take(): Buffer | null {
    const tick = decoder?.take() ?? null;
    if (tick) played += 1;
    else waited += 1;
    return tick;
  }

  function report(): ItemReport {
    const duration_ms = decoder?.duration_ms() ?? null;
    const played_ms = toMs(played);
    const found = foundFailure(played_ms, duration_ms);
    return {
      item_id: item.id,
      index,
      outcome: played === 0 ? 'skipped' : found ? 'incomplete' : 'played',
      played_ms,
      duration_ms,
      waited_ms: toMs(waited),
      failure: found,
    };
  }

  function foundFailure(played_ms: number, duration_ms: number | null): ItemFailure | null {
    const message = `The stream had to wait for ${toMs(waited)} ms`;
    if (isTooLate()) return { code: played === 0 ? 'SLOW' : 'LATE', message };
    const known = failure ?? decoder?.failure();
    if (known) return known;
    if (played === 0) return { code: 'NOT_PLAYABLE', message: 'The file has no picture that can be decoded' };
    if (duration_ms === null) return null;
    if (played_ms >= duration_ms - Math.min(TOLERANCE_MS, TOLERANCE * duration_ms)) return null;
    return { code: 'CUT_SHORT', message: `The file ends after ${played_ms} of ${duration_ms} ms` };
  }

  return {
    index,
    take,
    hasTick: () => decoder?.hasTick() ?? false,
    hasEnded: () => failure !== null || (decoder?.hasEnded() ?? false),
    remainingTicks: () => {
      const duration = decoder?.duration_ms() ?? 0;
      return Math.max(0, (duration * format.fps) / 1000 - played);
    },
    isTooLate,
    report,
    stop: async () => {
      isStopped = true;
      await started;
      await decoder?.stop();
    },
  };
}
