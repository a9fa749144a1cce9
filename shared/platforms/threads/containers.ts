import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { containerStatus } from './client.ts';
import { isMissing, isNotFetched } from './errors.ts';
import { clientOf, NEW_CONTAINER, type Container, type Context } from './state.ts';

/** Containers: created, then read until Threads has finished them. Nothing is visible yet. */

/** A container that was just created is not visible everywhere: publishing it would fail. */
const FIRST_READ_MS = 2 * SECOND;
const RETRY_MS = 10 * SECOND;
const PROCESSING_LIMIT_MS = 30 * MINUTE;

/** What is known of a container. `delayMs`: when to continue with it; null where it is finished. */
export interface Progress {
  container: Container;
  delayMs: number | null;
}

/** Creates a container, or reads its status. Throws PlatformError: `rejected` where Threads cannot process its file. */
export async function advance(
  context: Context,
  container: Container,
  create: () => Promise<string>,
): Promise<Progress> {
  if (container.finished) return { container, delayMs: null };
  return container.id === null ? begin(context, container, create) : check(context, container, container.id);
}

async function begin(
  { now }: Context,
  container: Container,
  create: () => Promise<string>,
): Promise<Progress> {
  try {
    return { container: { ...container, id: await create(), since: now() }, delayMs: FIRST_READ_MS };
  } catch (error) {
    if (!(error instanceof PlatformError) || !isNotFetched(error)) throw error;
    return afterFailure(container, { retries: 2, words: error.message });
  }
}

async function check(context: Context, container: Container, id: string): Promise<Progress> {
  const { status, error_message } = await statusOf(context, id);
  switch (status) {
    case 'FINISHED':
    case 'PUBLISHED':
      return { container: { ...container, finished: true }, delayMs: null };
    case 'EXPIRED':
      return { container: { ...NEW_CONTAINER, failures: container.failures }, delayMs: 0 };
    case 'ERROR':
      return afterFailure(container, processingFailure(error_message));
    default:
      return isOverdue(context, container)
        ? afterFailure(container, TOO_SLOW)
        : { container, delayMs: FIRST_READ_MS };
  }
}

/** A new container is not visible everywhere at once: Threads is still working on it then. */
async function statusOf(context: Context, id: string) {
  try {
    return await containerStatus(clientOf(context), id);
  } catch (error) {
    if (isMissing(error)) return { status: 'IN_PROGRESS', error_message: '' };
    throw error;
  }
}

const isOverdue = ({ now }: Context, { since }: Container) => now() - since > PROCESSING_LIMIT_MS;

/** Why Threads could not process a file, and how many new containers may help. */
interface ProcessingFailure {
  retries: number;
  words: string;
}

const TOO_SLOW: ProcessingFailure = {
  retries: 1,
  words: `Threads has not processed the media within ${PROCESSING_LIMIT_MS / MINUTE} minutes`,
};

/**
 * Failures by Threads' names for them, misspellings included. The first matching row decides.
 *
 * @see https://developers.facebook.com/docs/threads/troubleshooting
 */
const FAILURES: readonly [RegExp, ProcessingFailure][] = [
  [/DOWNLOADING/, { retries: 2, words: 'Threads could not download the video' }],
  [
    /ASPEC/,
    { retries: 0, words: 'Threads accepts aspect ratios from 0.01:1 to 10:1; the video has another' },
  ],
  [/BIT_?RATE/, { retries: 0, words: 'The bit rate of the video is above 100 Mbit/s' }],
  [/DURATION/, { retries: 0, words: 'The video is longer than 5 minutes' }],
  [
    /FRAME_RATE/,
    { retries: 0, words: 'Threads accepts 23 to 60 frames per second; the video has another rate' },
  ],
  [
    /AUDIO_CHANNEL/,
    { retries: 0, words: 'Threads accepts one or two audio channels; the video has other channels' },
  ],
  [/PROCESSING_AUDIO/, { retries: 1, words: 'Threads could not process the audio of the video: use AAC' }],
  [/^INVALID/, { retries: 0, words: 'The file does not meet the requirements of Threads' }],
];

function processingFailure(name: string): ProcessingFailure {
  const { retries, words } = FAILURES.find(([pattern]) => pattern.test(name))?.[1] ?? {
    retries: 1,
    words: 'Threads could not process the file',
  };
  return { retries, words: name === '' ? words : `${words} (${name})` };
}

/** Continues with a new container while that may help. Throws PlatformError `rejected` otherwise. */
function afterFailure({ failures }: Container, { retries, words }: ProcessingFailure): Progress {
  if (failures < retries) {
    return { container: { ...NEW_CONTAINER, failures: failures + 1 }, delayMs: RETRY_MS };
  }
  throw new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message: words });
}
