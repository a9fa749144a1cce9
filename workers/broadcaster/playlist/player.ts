import type { ItemFailure } from '../item-error.ts';
import type { ItemReport } from '../reporter.ts';
import { openItem, type ItemSettings, type OpenItem, type PlaylistItem } from './open-item.ts';

export interface PlayerOptions extends ItemSettings {
  items: readonly PlaylistItem[];
  is_loop: boolean;
  onItem: (report: ItemReport) => void;
}

/** Plays the items of a playlist in order, one after the other without a gap. */
export interface Player {
  /** Returns the tick to send now; null when no item has one. Called once for each tick of the stream. */
  take: () => Buffer | null;
  /** True when the first item has begun, or has failed. */
  isReady: () => boolean;
  /** True when the playlist has been played to its end. */
  hasEnded: () => boolean;
  /** Why the playlist has shown nothing at all, or nothing for five minutes; null otherwise. */
  failure: () => ItemFailure | null;
  itemIndex: () => number | null;
  stop: () => Promise<void>;
}

/** How much of the playlist is kept ready. To open an item takes a second or two, more from a slow host. */
const AHEAD_S = 10;
/** Each is a process. */
const MAX_PREPARED = 3;
/** Pauses when all items fail, in seconds. */
const PAUSES_S = [1, 2, 4, 8, 16, 30] as const;
const GIVE_UP_S = 300;

export function createPlayer({ items, is_loop, onItem, ...settings }: PlayerOptions): Player {
  const { fps } = settings.format;
  let current: OpenItem | null = null;
  let prepared: OpenItem[] = [];
  let nextIndex = 0;
  /** Ticks of the stream so far, and when the next item may be opened. */
  let now = 0;
  let notBefore = 0;
  /** Items in a row of which nothing could be shown. */
  let failures = 0;
  let idleTicks = 0;
  let lastFailure: ItemFailure | null = null;
  let hasShown = false;

  const isListDone = () => nextIndex >= items.length;
  const hasEnded = () => !current && prepared.length === 0 && isListDone();

  function open(): OpenItem | null {
    const item = items[nextIndex];
    if (!item || now < notBefore) return null;
    const opened = openItem(item, nextIndex, settings);
    nextIndex += 1;
    if (isListDone() && is_loop) nextIndex = 0;
    return opened;
  }

  function finish(item: OpenItem): void {
    const report = item.report();
    void item.stop();
    onItem(report);
    failures = report.outcome === 'skipped' ? failures + 1 : 0;
    lastFailure = report.failure ?? lastFailure;
    if (failures === 0 || failures % items.length !== 0) return;
    const pause = PAUSES_S[Math.min(failures / items.length, PAUSES_S.length) - 1] ?? 0;
    notBefore = now + pause * fps;
  }

  /** Drops prepared items that have failed, and opens the next ones shortly before they are shown. */
  function prepare(item: OpenItem): void {
    const failed = prepared.filter(each => each.hasEnded());
    prepared = prepared.filter(each => !failed.includes(each));
    failed.forEach(finish);
    const ready = [item, ...prepared].reduce((ticks, each) => ticks + each.remainingTicks(), 0);
    // One at a time: until it is open, nobody knows how long it is.
    const isOpening = prepared.some(each => !each.hasTick());
    if (isOpening || ready > AHEAD_S * fps || prepared.length >= MAX_PREPARED) return;
    const opened = open();
    if (opened) prepared.push(opened);
  }

  function takeFrom(item: OpenItem): Buffer | null {
    const tick = item.take();
    if (tick || !(item.hasEnded() || item.isTooLate())) {
      prepare(item);
      return tick;
    }
    finish(item);
    current = prepared.shift() ?? open();
    return current ? takeFrom(current) : null;
  }

  function take(): Buffer | null {
    now += 1;
    current ??= open();
    const tick = current && takeFrom(current);
    idleTicks = tick ? 0 : idleTicks + 1;
    hasShown ||= tick !== null;
    return tick;
  }

  current = open();
  return {
    take,
    isReady: () => !current || current.hasTick() || current.hasEnded(),
    hasEnded,
    failure: () => (idleTicks > GIVE_UP_S * fps || (hasEnded() && !hasShown) ? lastFailure : null),
    itemIndex: () => current?.index ?? null,
    stop: async () => {
      const open = current ? [current, ...prepared] : prepared;
      await Promise.all(open.map(item => item.stop()));
    },
  };
}
