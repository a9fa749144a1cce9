import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { StepResult } from '../contract/publisher.ts';
import { sendRequest } from '../kit/wire.ts';
import { registerUpload, uploadStatus } from './client.ts';
import { isUnknownUpload } from './errors.ts';
import { streamedForm } from './form.ts';
import { callerOf, type Context, type State } from './state.ts';

const FIRST_READ_MS = 5 * SECOND;
const PROCESSING_LIMIT_MS = 30 * MINUTE;
const MAX_RESTARTS = 2;
/** Reserved for storing the result. */
const RESERVE_MS = 15 * SECOND;
const MIN_UPLOAD_MS = 30 * SECOND;

/** Uploads the video and waits until Pinterest has processed it. Nothing is visible yet. */
export async function prepareVideo(context: Context, state: State): Promise<StepResult<State>> {
  if (state.media_id === null) {
    const media_id = await upload(context);
    return {
      type: 'wait',
      state: { ...state, media_id, uploaded_at: context.now() },
      delayMs: FIRST_READ_MS,
    };
  }
  switch (await statusOf(context, state.media_id)) {
    case 'succeeded':
      return { type: 'next', state };
    case 'failed':
      throw rejected('Pinterest could not process the video: it accepts H.264 and H.265 from 4 seconds on');
    case 'unknown':
      return uploadedAgain(state, 'Pinterest lost the uploaded video');
    default:
      // The file may never have arrived, whatever the storage answered.
      if (context.now() - state.uploaded_at > PROCESSING_LIMIT_MS) {
        return uploadedAgain(state, 'Pinterest has not processed the video within 30 minutes');
      }
      return { type: 'wait', state, delayMs: FIRST_READ_MS };
  }
}

/** Starts with a new upload. Throws PlatformError with these words after the last one. */
function uploadedAgain(state: State, words: string): StepResult<State> {
  if (state.restarts >= MAX_RESTARTS) throw unavailable(words);
  return { type: 'again', state: { ...state, media_id: null, restarts: state.restarts + 1 } };
}

async function statusOf(context: Context, mediaId: string): Promise<string> {
  try {
    return await uploadStatus(callerOf(context), mediaId);
  } catch (error) {
    if (isUnknownUpload(error)) return 'unknown';
    throw error;
  }
}

/** Sends the file as one form and returns its media id. An interrupted upload starts from the beginning. */
async function upload(context: Context): Promise<string> {
  const { files, job, http, remainingMs } = context;
  const file = await files.open(job.media_urls[0] ?? '', remainingMs() - RESERVE_MS);
  try {
    const { media_id, upload_url, upload_parameters } = await registerUpload(callerOf(context));
    const { contentType, body } = streamedForm(upload_parameters, file);
    const what = 'Uploading the video';
    const response = await sendRequest(
      http,
      {
        method: 'POST',
        url: upload_url,
        headers: { 'content-type': contentType },
        body,
        timeoutMs: Math.max(MIN_UPLOAD_MS, remainingMs() - RESERVE_MS),
      },
      what,
    );
    if (response.status < 200 || response.status > 299) {
      throw unavailable(`${what}: ${storageError(response.body.toString('utf8'), response.status)}`);
    }
    return media_id;
  } finally {
    await file.close();
  }
}

/** The storage answers XML: `<Error><Code>AccessDenied</Code><Message>…`. */
function storageError(xml: string, status: number): string {
  const message = /<Message>([^<]*)<\/Message>/.exec(xml)?.[1];
  return message ?? `the storage answered ${status}`;
}

const rejected = (message: string) =>
  new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message });

const unavailable = (message: string) =>
  new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
