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
import { readLinkCard } from '../kit/link-card.ts';
import { valueOf, getPost, putPost, resolveHandle, uploadBlob, type Result, type Server } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { toPlatformError, isTooBig, type ErrorResponse } from './errors.ts';
import { detectFacets, firstLink } from './facets.ts';
import { assertNotMoved, ENTRYWAY, resolveServer } from './identity.ts';
import { cardEmbed, imagesEmbed, isRecordOf, postRecord, UploadedSchema, type Uploaded } from './record.ts';
import { recordKey } from './record-key.ts';
import { OLD_PICTURES, PICTURES, THUMB } from './rules.ts';

const StateSchema = v.object({
  images: v.array(UploadedSchema),
  /** The finished record. Stored, because only the identical record may be sent again. */
  record: v.nullable(JsonObjectSchema),
  /** Rejections that were handled by preparing the record again; each at most once. */
  retried_for: v.array(v.picklist(['size', 'blob'])),
  /** How many of the post's record keys hold another record. */
  taken_keys: v.optional(v.number(), 0),
});
type State = v.InferOutput<typeof StateSchema>;
type Context = StepContext<Credentials>;

const FETCH_MS = 30_000;
/** Time that one picture needs: download, re-encoding and upload. */
export const IMAGE_MS = 80_000;
/** Two taken keys in a row happen once in 10^12 posts; more are an error of the service. */
const MAX_TAKEN_KEYS = 3;

const PUBLIC_APPVIEW = 'https://public.api.bsky.app';

const upload: Step<State, Credentials> = { name: 'upload', kind: 'prepare', run: uploadImages };
const compose: Step<State, Credentials> = { name: 'compose', kind: 'prepare', run: composeRecord };
const publish: Step<State, Credentials> = {
  name: 'publish',
  kind: 'commit',
  run: publishRecord,
  reconcile: findRecord,
};

/**
 * Publishes by writing a record under a key derived from the post (`recordKey`). Writing the same record again has no
 * further effect, and reading the key tells whether it exists.
 */
export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: () => ({ images: [], record: null, retried_for: [], taken_keys: 0 }),
  steps: job => (hasImages(job) ? [upload, compose, publish] : [compose, publish]),
});

async function uploadImages(context: Context, state: State): Promise<StepResult<State>> {
  const images = [...state.images];
  for (const url of context.job.media_urls.slice(images.length)) {
    const isProgress = images.length > state.images.length;
    if (isProgress && context.remainingMs() < IMAGE_MS) return { type: 'again', state: { ...state, images } };
    images.push(await uploadImage(context, await pictureOf(context, url, state)));
  }
  return { type: 'next', state: { ...state, images } };
}

async function pictureOf({ files }: Context, url: string, { retried_for }: State): Promise<FittedPicture> {
  const file = await files.open(url, FETCH_MS);
  try {
    return await file.fitted(retried_for.includes('size') ? OLD_PICTURES : PICTURES);
  } finally {
    await file.close();
  }
}

async function uploadImage(context: Context, image: FittedPicture): Promise<Uploaded> {
  const { bytes, type, width, height } = image;
  const answer = await onServer(context, server => uploadBlob(server, accessToken(context), bytes, type));
  return { blob: valueOf(answer).blob, width, height };
}

async function composeRecord(context: Context, state: State): Promise<StepResult<State>> {
  const { job } = context;
  const facets = await detectFacets(job.text, handle => resolveMention(context, handle));
  const embed = await embedOf(context, state, firstLink(facets));
  return { type: 'next', state: { ...state, record: postRecord(job, facets, embed) } };
}

/** A record carries one embed: pictures, or the card of a link. */
async function embedOf(context: Context, state: State, link: string | null): Promise<JsonObject | null> {
  if (hasImages(context.job)) return imagesEmbed(context.job, state.images);
  return link === null ? null : linkCard(context, state, link);
}

/**
 * Returns the DID of a handle; null when nobody has it: the mention then stays plain text. Throws PlatformError when it
 * can only be resolved later.
 */
async function resolveMention({ http, job }: Context, handle: string): Promise<string | null> {
  let passing: PlatformError | null = null;
  for (const url of [serverUrlOf(job), PUBLIC_APPVIEW]) {
    try {
      const answer = await resolveHandle({ http, url }, handle);
      if (!answer.ok && answer.errorResponse.status === 400) return null;
      return valueOf(answer).did;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.kind === 'transient' || error.kind === 'rate_limited') passing = error;
    }
  }
  if (passing) throw passing;
  return null;
}

/** Returns the preview of the text's first link. A failure costs the picture or the card, never the post. */
async function linkCard(context: Context, state: State, uri: string): Promise<JsonObject | null> {
  const card = await readLinkCard(context, uri, THUMB);
  if (!card) return null;
  const thumb = state.retried_for.includes('size') ? null : card.thumb;
  return cardEmbed(card, thumb && (await uploadThumb(context, thumb)));
}

async function uploadThumb(context: Context, thumb: FittedPicture): Promise<Uploaded['blob'] | null> {
  try {
    return (await uploadImage(context, thumb)).blob;
  } catch (error) {
    // Expired credentials are renewed by the caller, which runs the step again.
    if (!(error instanceof PlatformError) || error.kind === 'token_expired') throw error;
    return null;
  }
}

async function publishRecord(context: Context, state: State): Promise<StepResult<State>> {
  const { record } = state;
  const { job } = context;
  if (!record) return back(job, state);
  const write = { repo: didOf(job), rkey: recordKey(job, state.taken_keys), record };
  const answer = await onServer(context, server => putPost(server, accessToken(context), write));
  if (answer.ok) return { type: 'published', post: postOf(job, answer.value.uri, context.now()), state };
  return afterRejection(context, state, answer.errorResponse);
}

/** Handles rejections that reading the record or preparing it again can resolve. Nothing was written in any of them. */
async function afterRejection(
  context: Context,
  state: State,
  errorResponse: ErrorResponse,
): Promise<StepResult<State>> {
  if (errorResponse.error === 'InvalidSwap') {
    const found = await findRecord(context, state, context.now());
    if (found.type === 'published') return { ...found, state };
    if (state.taken_keys < MAX_TAKEN_KEYS)
      return back(context.job, { ...state, taken_keys: state.taken_keys + 1 });
    throw new PlatformError({
      kind: 'rejected',
      code: 'INTERNAL',
      message: 'All record keys of the post are taken by other records',
    });
  }
  const reason = isTooBig(errorResponse) ? 'size' : errorResponse.error === 'BlobNotFound' ? 'blob' : null;
  if (reason === null || state.retried_for.includes(reason)) throw toPlatformError(errorResponse);
  return back(context.job, {
    ...state,
    images: [],
    record: null,
    retried_for: [...state.retried_for, reason],
  });
}

/** Prepares the record again from newly uploaded pictures. */
function back(job: PublishJob, state: State): StepResult<State> {
  return { type: 'back', step: hasImages(job) ? upload.name : compose.name, state };
}

/** Reads the record from the account's own server, which knows for certain. */
async function findRecord(context: Context, state: State, intentAt: number): Promise<Finding> {
  const { job } = context;
  const answer = await readRecord(context, recordKey(job, state.taken_keys));
  if (!answer.ok && answer.errorResponse.error === 'RecordNotFound') return { type: 'absent' };
  const { uri, value } = valueOf(answer);
  return isRecordOf(job, value)
    ? { type: 'published', post: postOf(job, uri, intentAt) }
    : { type: 'absent' };
}

/**
 * Sends a call with the account's token to the server of the connect, and to no other: when the account has moved, the
 * user must reconnect it. Throws PlatformError.
 */
async function onServer<T>(
  { http, job }: Context,
  call: (server: Server) => Promise<Result<T>>,
): Promise<Result<T>> {
  const server = { http, url: serverUrlOf(job) };
  const result = await call(server);
  if (result.ok || !isUnknownAccount(result.errorResponse)) return result;
  await assertNotMoved(http, didOf(job), server.url);
  return call(server);
}

/** Reads a record without credentials. When the account has moved, its new server has the record. */
async function readRecord({ http, job }: Context, rkey: string) {
  const url = serverUrlOf(job);
  const result = await getPost({ http, url }, didOf(job), rkey);
  if (result.ok || !isUnknownAccount(result.errorResponse)) return result;
  const current = await resolveServer(http, didOf(job));
  return current === url ? result : getPost({ http, url: current }, didOf(job), rkey);
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

const accessToken = ({ credentials }: Context) => credentials.access_token;

const hasImages = (job: PublishJob) => job.post_type === 'image';
const didOf = (job: PublishJob) => job.account.platform_user_id;
const serverUrlOf = (job: PublishJob) => job.account.attributes['pds'] ?? ENTRYWAY;
