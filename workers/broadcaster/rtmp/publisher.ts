import type { FlvTag } from '../encoder/flv-tags.ts';
import { REAL_TIME, type Timer } from '../timer.ts';
import { parseIngest, type IngestAddress } from './address.ts';
import { openConnection, type RtmpConnection } from './connection.ts';

/** Keeps a stream at its ingest: reconnects when it is lost, and never makes the broadcast wait. */
export interface Publisher {
  /** Sends a tag, or drops it while the ingest is away or too slow. */
  send: (tag: FlvTag) => void;
  state: () => IngestState;
  /** Ends the stream and resolves when the connection is closed. */
  stop: () => Promise<void>;
}

export interface IngestState {
  is_connected: boolean;
  /** Times that an accepted stream was lost. */
  losses: number;
  bytes_sent: number;
  /** Why the ingest was last lost or refused the stream. */
  last_error: string | null;
}

export interface PublisherOptions {
  ingest: IngestAddress;
  /** Bytes of four seconds of stream: when more waits, pictures are dropped. */
  max_queued: number;
  /** Called after each connect: the stream can go on only with a key frame. */
  onConnected: () => void;
  onLost: () => void;
  /** Without progress for so long while bytes wait, the connection is given up. */
  stall_ms?: number;
  /** Of the pauses between two connections. */
  timer?: Timer;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
const STALL_MS = 10_000;
const CHECKS = 10;

export function createPublisher(options: PublisherOptions): Publisher {
  const { timer = REAL_TIME } = options;
  const target = parseIngest(options.ingest);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  const state: IngestState = { is_connected: false, losses: 0, bytes_sent: 0, last_error: null };
  /** The metadata and the headers, which each connection begins with. */
  const headers: FlvTag[] = [];
  let sender: Sender | null = null;
  let connection: RtmpConnection | null = null;

  async function run(): Promise<void> {
    for (let failures = 0; !isStopping(); failures += 1) {
      const wasAccepted = await stayConnected();
      failures = wasAccepted ? 0 : failures;
      await timer.sleep(pauseAfter(failures), stopping.signal);
    }
  }

  /** Connects once and waits until the connection is lost. Returns whether the ingest had accepted the stream. */
  async function stayConnected(): Promise<boolean> {
    try {
      connection = await openConnection(target);
    } catch (error) {
      state.last_error = messageOf(error);
      return false;
    }
    // `stop` came while there was no connection that it could end.
    if (isStopping()) {
      await connection.end();
      return true;
    }
    sender = createSender(connection, headers, options.max_queued);
    const watch = watchProgress(connection, options.stall_ms ?? STALL_MS);
    state.is_connected = true;
    options.onConnected();
    const reason = await connection.lost;
    clearInterval(watch);
    state.bytes_sent += connection.sent();
    state.is_connected = false;
    sender = null;
    connection = null;
    if (isStopping()) return true;
    state.losses += 1;
    state.last_error = reason.message;
    options.onLost();
    return true;
  }

  const running = run();
  return {
    send: tag => {
      if (tag.is_header || tag.type === 'metadata') headers.push(tag);
      else sender?.send(tag);
    },
    state: () => ({ ...state, bytes_sent: state.bytes_sent + (connection?.sent() ?? 0) }),
    stop: async () => {
      stopping.abort();
      await connection?.end();
      await running;
    },
  };
}

/** Doubles from half a second to ten, up to a third less by chance. */
function pauseAfter(failures: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return pause * (1 - Math.random() / 3);
}

interface Sender {
  send: (tag: FlvTag) => void;
}

/** Begins with the next key frame, and again with one after tags were dropped. Times count from the first. */
function createSender(connection: RtmpConnection, headers: readonly FlvTag[], maxQueued: number): Sender {
  let zero: number | null = null;
  let isDropping = false;

  function begin(tag: FlvTag): void {
    for (const header of headers) connection.send(header, 0);
    zero = tag.time;
  }

  return {
    send: tag => {
      if (zero === null && tag.is_key) begin(tag);
      if (zero === null || tag.time < zero) return;
      if (connection.queued() > maxQueued) isDropping = true;
      else if (tag.is_key) isDropping = false;
      if (!isDropping) connection.send(tag, tag.time - zero);
    },
  };
}

/** Counts checks instead of comparing times: a machine that stood still would seem to be a stalled connection. */
function watchProgress(connection: RtmpConnection, stallMs: number): NodeJS.Timeout {
  let last = 0;
  let idleChecks = 0;
  return setInterval(() => {
    const sent = connection.sent();
    idleChecks = sent === last && connection.queued() > 0 ? idleChecks + 1 : 0;
    last = sent;
    if (idleChecks >= CHECKS) connection.destroy(new Error('The ingest stopped reading'));
  }, stallMs / CHECKS);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
