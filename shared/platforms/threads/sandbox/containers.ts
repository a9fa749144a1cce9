import type { Context, Hono } from 'hono';
import { codePointLength } from '../../../text/code-points.ts';
import { DAY, SECOND } from '../../../time/instant.ts';
import { authorize, readParams, type Grant, type Params } from './access.ts';
import { fetchImage, fetchVideo, redirects } from './files.ts';
import { graphError } from '../../families/meta/sandbox/responses.ts';
import { invalidParameter } from './responses.ts';
import { newId, type Container, type ThreadsAccount, type ThreadsState } from './state.ts';
import { urlsOf, weightOf } from './text.ts';

const MAX_TEXT = 500;
const MAX_ALT_TEXT = 1000;
const LIFE_MS = DAY;
const REPLY_CONTROLS = [
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
];

/** Creating containers. */
export function addContainers(api: Hono, state: ThreadsState): void {
  api.post('/v1.0/:user/threads', async c => {
    const params = await readParams(c, state);
    const grant = authorize(c, state, params, ['threads_basic', 'threads_content_publish']);
    return create(c, state, grant, params);
  });
}

async function create(c: Context, state: ThreadsState, { account }: Grant, params: Params) {
  assertOwn(c, account);
  const { access_token: _, ...fields } = params;
  const isItem = fields['is_carousel_item'] === 'true';
  const type = mediaType(fields['media_type'], isItem);
  const text = isItem ? '' : (fields['text'] ?? '');
  checkText(text, type, fields, account);
  if (fields['link_attachment'] !== undefined) await checkLink(state, type, fields['link_attachment']);
  checkOptions(fields, type);

  const children = type === 'CAROUSEL' ? childrenOf(state, account, fields['children']) : [];
  const fetched = await fileOf(state, type, fields);
  const container: Container = {
    id: newId(),
    account_id: account.id,
    created_at: state.host.now(),
    media_type: type,
    text,
    is_carousel_item: isItem,
    children: children.map(({ id }) => id),
    ...fetched,
    is_lost: isLost(state, account, isItem),
    media_id: null,
    fields,
  };
  state.containers.set(container.id, container);
  return c.json({ id: container.id });
}

/** Writes go to `me` or the user's own id. */
function assertOwn(c: Context, { id }: ThreadsAccount): void {
  const user = c.req.param('user');
  if (user !== 'me' && user !== id) invalidParameter('Unsupported post request');
}

function mediaType(given: string | undefined, isItem: boolean): Container['media_type'] {
  switch (given) {
    case 'TEXT':
    case 'CAROUSEL':
      return isItem ? invalidParameter('Carousel items must be of media_type IMAGE or VIDEO') : given;
    case 'IMAGE':
    case 'VIDEO':
      return given;
    default:
      return invalidParameter('Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}');
  }
}

function checkText(
  text: string,
  type: Container['media_type'],
  fields: Params,
  { counting, max_links }: ThreadsAccount,
): void {
  if (type === 'TEXT' && text.trim() === '' && fields['link_attachment'] === undefined) {
    invalidParameter("text can't be blank");
  }
  const length = counting === 'weight' ? weightOf(text) : Buffer.byteLength(text);
  if (length > MAX_TEXT) invalidParameter(`Param text must be at most ${MAX_TEXT} characters long.`);
  const urls = urlsOf(text);
  if (fields['link_attachment'] !== undefined) urls.add(fields['link_attachment']);
  if (urls.size > max_links) {
    invalidParameter('THREADS_API__LINK_LIMIT_EXCEEDED', `A post can have at most ${max_links} links.`);
  }
}

async function checkLink(state: ThreadsState, type: Container['media_type'], url: string): Promise<void> {
  if (type !== 'TEXT') invalidParameter('Param link_attachment is for text posts only');
  if (await redirects(state, url)) {
    graphError({ code: 100, subcode: 4_279_047, is_transient: false, message: 'Invalid Link Attachment' });
  }
}

function checkOptions(fields: Params, type: Container['media_type']): void {
  const { topic_tag: topic, alt_text: altText, reply_control: control } = fields;
  if (topic !== undefined && !/^[^.&]{1,50}$/su.test(topic)) {
    invalidParameter('Param topic_tag must be 1 to 50 characters without periods and ampersands');
  }
  if (altText !== undefined && (type === 'TEXT' || type === 'CAROUSEL')) {
    invalidParameter('Param alt_text is for images and videos only');
  }
  if (altText !== undefined && codePointLength(altText) > MAX_ALT_TEXT) {
    invalidParameter(`Param alt_text must be at most ${MAX_ALT_TEXT} characters long.`);
  }
  if (control !== undefined && !REPLY_CONTROLS.includes(control)) {
    invalidParameter(`Param reply_control must be one of {${REPLY_CONTROLS.join(', ')}}`);
  }
}

function childrenOf(state: ThreadsState, account: ThreadsAccount, given = ''): Container[] {
  const ids = given.split(',').filter(Boolean);
  if (ids.length < 2 || ids.length > 20) invalidParameter('Param children must have 2 to 20 items');
  return ids.map(id => {
    const child = state.containers.get(id);
    const isUsable = child?.account_id === account.id && child.is_carousel_item;
    if (!isUsable || statusOf(state, child).status !== 'FINISHED') {
      return invalidParameter(`Param children: ${id} is not a finished carousel item`);
    }
    return child;
  });
}

function fileOf(state: ThreadsState, type: Container['media_type'], fields: Params) {
  const name = type === 'IMAGE' ? 'image_url' : 'video_url';
  if (type === 'TEXT' || type === 'CAROUSEL') return { file: null, error: null };
  const url = fields[name] ?? '';
  if (!URL.canParse(url)) return invalidParameter(`Param ${name} must be a URL`);
  return type === 'IMAGE' ? fetchImage(state, url) : fetchVideo(state, url);
}

/** Loses the container if the account is set to lose one. Only published containers can be lost. */
function isLost(state: ThreadsState, account: ThreadsAccount, isItem: boolean): boolean {
  if (isItem || account.lost_containers === 0) return false;
  state.accounts.set(account.id, { ...account, lost_containers: account.lost_containers - 1 });
  return true;
}

interface Status {
  status: 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';
  error_message?: string;
}

/** Returns the processing status of a container at the present time. */
export function statusOf({ host }: ThreadsState, container: Container): Status {
  if (container.media_id !== null) return { status: 'PUBLISHED' };
  const age = host.now() - container.created_at;
  if (age >= LIFE_MS) return { status: 'EXPIRED' };
  const { seconds, outcome, error } = host.processing('threads');
  if (container.media_type === 'TEXT') return { status: 'FINISHED' };
  if (age < seconds * SECOND) return { status: 'IN_PROGRESS' };
  if (container.error !== null) return { status: 'ERROR', error_message: container.error };
  return outcome === 'ok' ? { status: 'FINISHED' } : { status: 'ERROR', error_message: error ?? 'UNKNOWN' };
}
