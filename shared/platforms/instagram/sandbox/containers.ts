import type { Context } from 'hono';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError } from '../../families/meta/sandbox/responses.ts';
import { ownerOf, pathAccount, type InstagramCaller } from './access.ts';
import { refuse } from './errors.ts';
import { assertImage, fetchFile, videoError } from './files.ts';
import { checkParameters, type Request } from './rules.ts';
import { newId, type Account, type Container, type InstagramState } from './state.ts';

export const DAY_MS = 24 * 3600_000;
const MAX_CONTAINERS = 400;
const DEFAULT_FAILURE = '2207082';

/** `POST /{account}/media`. Faults of an image end the request, those of a video appear in the status later. */
export async function createContainer(
  c: Context,
  state: InstagramState,
  caller: InstagramCaller,
): Promise<Response> {
  const account = pathAccount(c, caller);
  const params = await paramsOf(c);
  const { is_carousel_item, is_ai_generated } = params;
  if (is_carousel_item === 'true' && is_ai_generated !== undefined) {
    return graphError({ code: 100, message: '(#100) is_ai_generated is not allowed on a carousel item' });
  }
  const request = checkParameters(params, caller.host);
  if (account.modes.restricted === true) return refuse(2207050);
  if (recentContainers(state, account) >= MAX_CONTAINERS) {
    return graphError({ status: 403, code: 4, message: '(#4) Application request limit reached' });
  }
  const container = await build(state, account, request);
  state.containers.set(container.id, container);
  const { id, awaits_upload: awaitsUpload } = container;
  const uri = `https://rupload.facebook.com/ig-api-upload/v26.0/${id}`;
  return c.json({ id, ...(awaitsUpload ? { uri } : {}) });
}

function recentContainers({ containers, host }: InstagramState, { id }: Account): number {
  const since = host.now() - DAY_MS;
  return containers.values().filter(each => each.account_id === id && each.created_at > since).length;
}

async function build(state: InstagramState, account: Account, request: Request): Promise<Container> {
  const { kind, isChild, params } = request;
  const { access_token, appsecret_proof, ...kept } = params;
  const { image_url: image, video_url: video, cover_url: cover, children } = kept;
  const file = (image ?? video) ? await fetchFile(state, account, image ?? video ?? '') : null;
  if (file && image !== undefined) assertImage(file, account, kind === 'STORIES');
  const coverFile = cover === undefined ? null : await fetchFile(state, account, cover);
  if (coverFile) assertImage(coverFile, account, true);
  const now = state.host.now();
  const container: Container = {
    id: newId('178'),
    account_id: account.id,
    kind,
    is_child: isChild,
    params: kept,
    file,
    cover: coverFile,
    children: children === undefined ? [] : claimChildren(state, account, children),
    created_at: now,
    ready_at: now,
    error: null,
    awaits_upload: kept['upload_type'] !== undefined,
    media_id: null,
  };
  return container.awaits_upload ? container : processed(state, container);
}

/** Returns the container with the time and the outcome of its processing. */
export function processed(state: InstagramState, container: Container): Container {
  const { seconds, outcome, error } = state.host.processing('instagram');
  const { kind, is_child: isChild, params, file } = container;
  const isVideo = file?.type.startsWith('image/') === false;
  const invalid = file && isVideo ? videoError(file, { kind, isChild, params }) : null;
  return {
    ...container,
    awaits_upload: false,
    ready_at: state.host.now() + seconds * 1000,
    error:
      invalid ?? childError(state, container) ?? (outcome === 'error' ? (error ?? DEFAULT_FAILURE) : null),
  };
}

/** A carousel fails when one of its children is not finished. */
function childError(state: InstagramState, { children }: Container): string | null {
  const isUnfinished = children.some(id => {
    const child = state.containers.get(id);
    return !child || statusOf(state, child) !== 'FINISHED';
  });
  return isUnfinished ? '2207027' : null;
}

function claimChildren(state: InstagramState, account: Account, list: string): string[] {
  const ids = list.split(',').map(id => id.trim());
  if (ids.length < 2 || ids.length > 10) return refuse(2207028);
  const used = new Set(state.containers.values().flatMap(({ children }) => children));
  for (const id of ids) {
    const child = state.containers.get(id);
    const isUsable =
      child?.account_id === account.id && child.is_child && statusOf(state, child) !== 'EXPIRED';
    if (!isUsable || used.has(id)) return refuse(2207008, id);
  }
  return ids;
}

export function statusOf({ host }: InstagramState, container: Container): string {
  const now = host.now();
  if (container.media_id !== null) return 'PUBLISHED';
  if (now - container.created_at >= DAY_MS) return 'EXPIRED';
  if (container.awaits_upload || now < container.ready_at) return 'IN_PROGRESS';
  return container.error === null ? 'FINISHED' : 'ERROR';
}

const TEXTS: Readonly<Record<string, string>> = {
  PUBLISHED: 'Published: Media has been published.',
  EXPIRED: 'Expired: The container was not published within 24 hours.',
  IN_PROGRESS: 'In Progress: Media is still being processed.',
  FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
};

/** `GET /{container}`. */
export function readContainer(
  c: Context,
  state: InstagramState,
  caller: InstagramCaller,
  container: Container,
): Response {
  ownerOf(c, caller, container.account_id);
  const fields = (c.req.query('fields') ?? 'id').split(',');
  const code = statusOf(state, container);
  const error = `Error: Media upload has failed with error code ${container.error}`;
  const transferred = state.uploads.get(container.id)?.length ?? 0;
  const size = container.file?.size ?? 0;
  const views: Record<string, unknown> = {
    status_code: code,
    status: TEXTS[code] ?? error,
    video_status: {
      uploading_phase: container.awaits_upload
        ? { status: 'in_progress', bytes_transferred: transferred }
        : { status: 'complete', bytes_transferred: size },
      processing_phase: { status: container.awaits_upload ? 'not_started' : 'in_progress' },
    },
  };
  const unknown = fields.find(field => field !== 'id' && !(field in views));
  if (unknown !== undefined) {
    return graphError({ code: 100, message: `(#100) Tried accessing nonexisting field (${unknown})` });
  }
  return c.json({ ...Object.fromEntries(fields.map(field => [field, views[field]])), id: container.id });
}
