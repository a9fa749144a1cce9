import * as v from 'valibot';
import { JsonObjectSchema, type JsonObject } from '../../model/json.ts';
import { PlatformError } from '../contract/error.ts';
import type { FittedPicture } from '../contract/media-files.ts';
import {
  definePublisher,
  type Finding,
  type PublishJob,
  type Step,
  type StepContext,
  type StepResult,
} from '../contract/publisher.ts';
import { readCard } from './card.ts';
import { valueOf, getPost, putPost, resolveHandle, uploadBlob, type Result, type Server } from './client.ts';
import { toPlatformError, isTooBig, type ErrorResponse } from './errors.ts';
import { detectFacets, firstLink } from './facets.ts';
import { findServer } from './identity.ts';
import { cardEmbed, imagesEmbed, isRecordOf, postRecord, UploadedSchema, type Uploaded } from './record.ts';
import { recordKey } from './record-key.ts';
import { OLD_PICTURES, PICTURES } from './rules.ts';

const StateSchema = v.object({
  images: v.array(UploadedSchema),
  /** The finished record: kept, since only the identical one may be sent again. */
  record: v.nullable(JsonObjectSchema),
  /** Faults that were mended by preparing anew; each only once. */
  mended: v.array(v.picklist(['size', 'blob'])),
  /** Keys of this post that hold somebody else's record. */
  taken: v.optional(v.number(), 0),
});
type State = v.InferOutput<typeof StateSchema>;

const FETCH_MS = 30_000;
/** A picture is begun only with this much time left: its download, its re-encoding and its upload. */
const IMAGE_MS = 45_000;
/** A post meets two strange records in a row once in 10^12 times; more are a fault of ours. */
const MOST_TAKEN = 3;

const PUBLIC_APPVIEW = 'https://public.api.bsky.app';
const ENTRYWAY = 'https://bsky.social';

const upload: Step<State> = { name: 'upload', kind: 'prepare', run: uploadImages };
const compose: Step<State> = { name: 'compose', kind: 'prepare', run: composeRecord };
const publish: Step<State> = { name: 'publish', kind: 'commit', run: publishRecord, reconcile: findRecord };

/**
 * Publishes by writing a record whose key follows from the post (`recordKey`), so a repetition is harmless: the same
 * record under the same key is the same success, and a read by key tells whether it exists.
 */
export const publisher = definePublisher<State>({
  state: StateSchema,
  initial: () => ({ images: [], record: null, mended: [], taken: 0 }),
  steps: job => (hasImages(job) ? [upload, compose, publish] : [compose, publish]),
});

async function uploadImages(context: StepContext, state: State): Promise<StepResult<State>> {
  const images = [...state.images];
  for (const url of context.job.media_urls.slice(images.length)) {
    const isProgress = images.length > state.images.length;
    if (isProgress && context.remainingMs() < IMAGE_MS) return { type: 'again', state: { ...state, images } };
    images.push(await uploadImage(context, await pictureOf(context, url, state)));
  }
  return { type: 'next', state: { ...state, images } };
}

async function pictureOf({ files }: StepContext, url: string, { mended }: State): Promise<FittedPicture> {
  const file = await files.open(url, FETCH_MS);
  try {
    return await file.fitted(mended.includes('size') ? OLD_PICTURES : PICTURES);
  } finally {
    await file.close();
  }
}

async function uploadImage(context: StepContext, image: FittedPicture): Promise<Uploaded> {
  const { bytes, type, width, height } = image;
  const answer = await atHome(context, server => uploadBlob(server, accessToken(context), bytes, type));
  return { blob: valueOf(answer).blob, width, height };
}

async function composeRecord(context: StepContext, state: State): Promise<StepResult<State>> {
  const { job } = context;
  const facets = await detectFacets(job.text, handle => resolveMention(context, handle));
  const embed = await embedOf(context, state, firstLink(facets));
  return { type: 'next', state: { ...state, record: postRecord(job, facets, embed) } };
}

/** A record carries one embed: pictures, or the card of a link. */
async function embedOf(context: StepContext, state: State, link: string | null): Promise<JsonObject | null> {
  if (hasImages(context.job)) return imagesEmbed(context.job, state.images);
  return link === null ? null : linkCard(context, state, link);
}

/** A name that cannot be resolved stays plain text; it must not hold the post up. */
async function resolveMention({ http, job }: StepContext, handle: string): Promise<string | null> {
  for (const url of [homeOf(job), PUBLIC_APPVIEW]) {
    try {
      const answer = await resolveHandle({ http, url }, handle);
      if (answer.ok) return answer.value.did;
      if (answer.errorResponse.status === 400) return null;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  return null;
}

/** The preview of a text's first link. Whatever goes wrong costs the picture or the card, never the post. */
async function linkCard(context: StepContext, state: State, uri: string): Promise<JsonObject | null> {
  const card = await readCard(context, uri);
  if (!card) return null;
  const thumb = state.mended.includes('size') ? null : card.thumb;
  return cardEmbed(card, thumb && (await uploadThumb(context, thumb)));
}

async function uploadThumb(context: StepContext, thumb: FittedPicture): Promise<Uploaded['blob'] | null> {
  try {
    return (await uploadImage(context, thumb)).blob;
  } catch (error) {
    // Expired credentials are renewed by the caller, and then the card is whole.
    if (!(error instanceof PlatformError) || error.kind === 'token_expired') throw error;
    return null;
  }
}

async function publishRecord(context: StepContext, state: State): Promise<StepResult<State>> {
  const { record } = state;
  const { job } = context;
  if (!record) return back(job, state);
  const write = { repo: didOf(job), rkey: recordKey(job, state.taken), record };
  const answer = await atHome(context, server => putPost(server, accessToken(context), write));
  if (answer.ok) return { type: 'published', post: postOf(job, answer.value.uri, context.now()), state };
  return mend(context, state, answer.errorResponse);
}

/** Refusals that a second look or a second preparation can mend; nothing was written in any of them. */
async function mend(
  context: StepContext,
  state: State,
  errorResponse: ErrorResponse,
): Promise<StepResult<State>> {
  if (errorResponse.error === 'InvalidSwap') {
    const found = await findRecord(context, state, context.now());
    if (found.type === 'published') return { ...found, state };
    if (state.taken < MOST_TAKEN) return back(context.job, { ...state, taken: state.taken + 1 });
    throw new PlatformError({ kind: 'rejected', code: 'INTERNAL', message: "The post's keys are taken" });
  }
  const fault = isTooBig(errorResponse) ? 'size' : errorResponse.error === 'BlobNotFound' ? 'blob' : null;
  if (fault === null || state.mended.includes(fault)) throw toPlatformError(errorResponse);
  return back(context.job, { ...state, images: [], record: null, mended: [...state.mended, fault] });
}

/** The record is composed anew, from pictures that are uploaded anew. */
function back(job: PublishJob, state: State): StepResult<State> {
  return { type: 'back', step: hasImages(job) ? upload.name : compose.name, state };
}

/** The record is there, or it is not: the account's own server knows for certain. */
async function findRecord(context: StepContext, state: State, intentAt: number): Promise<Finding> {
  const { job } = context;
  const answer = await atHome(context, server => getPost(server, didOf(job), recordKey(job, state.taken)));
  if (!answer.ok && answer.errorResponse.error === 'RecordNotFound') return { type: 'absent' };
  const { uri, value } = valueOf(answer);
  return isRecordOf(job, value)
    ? { type: 'published', post: postOf(job, uri, intentAt) }
    : { type: 'absent' };
}

/** Calls the account's server; an account that moved away is looked up, once, and called at its new home. */
async function atHome<T>(
  { http, job }: StepContext,
  call: (server: Server) => Promise<Result<T>>,
): Promise<Result<T>> {
  const url = homeOf(job);
  const answer = await call({ http, url });
  if (answer.ok || !isUnknownAccount(answer.errorResponse)) return answer;
  const home = await findServer(http, didOf(job));
  return home === null || home === url ? answer : call({ http, url: home });
}

function isUnknownAccount({ error, message }: ErrorResponse): boolean {
  return error === 'AccountNotFound' || /could not find repo/i.test(message);
}

function postOf(job: PublishJob, uri: string, at: number) {
  const profile = job.account.username ?? didOf(job);
  return {
    platform_post_id: uri,
    platform_post_url: `https://bsky.app/profile/${profile}/post/${uri.slice(uri.lastIndexOf('/') + 1)}`,
    published_at: at,
  };
}

function accessToken({ credentials }: StepContext): string {
  if (credentials.access_token !== null) return credentials.access_token;
  throw new PlatformError({
    kind: 'token_expired',
    code: 'TOKEN_EXPIRED',
    message: 'The account has no session',
  });
}

const hasImages = (job: PublishJob) => job.post_type === 'image';
const didOf = (job: PublishJob) => job.account.platform_user_id;
const homeOf = (job: PublishJob) => job.account.attributes['pds'] ?? ENTRYWAY;
