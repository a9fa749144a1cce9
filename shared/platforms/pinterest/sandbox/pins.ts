import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';
import { codePointLength } from '../../../text/code-points.ts';
import { SECOND } from '../../../time/instant.ts';
import type { StoredMedia } from '../../contract/sandbox.ts';
import { authorize, invalid, jsonBody, page, refuse, type Grant } from './access.ts';
import { filesOf, SourceSchema } from './sources.ts';
import { boardsOf, newId, type PinterestState, type StoredPin } from './state.ts';

const WRITE = ['boards:read', 'boards:write', 'pins:read', 'pins:write'];
const READ = ['boards:read', 'pins:read'];

const most = (limit: number) =>
  v.optional(
    v.nullable(
      v.pipe(
        v.string(),
        v.check(text => codePointLength(text) <= limit, `constraint: maxLength=${limit}`),
      ),
    ),
    null,
  );
const id = v.pipe(v.string(), v.regex(/^\d+$/, "does not match '^\\d+$'"));
const CreateSchema = v.strictObject({
  board_id: id,
  board_section_id: v.optional(v.nullable(id), null),
  title: most(100),
  description: most(800),
  alt_text: most(500),
  link: most(2048),
  dominant_color: v.optional(v.string()),
  media_source: SourceSchema,
});

/** Creating and reading Pins. */
export function addPins(api: Hono, state: PinterestState): void {
  api.post('/v5/pins', async c => create(c, state, authorize(c, state, WRITE)));
  api.get('/v5/pins', c => {
    const grant = authorize(c, state, READ);
    return page(c, listed(state, grant).map(view));
  });
  api.get('/v5/boards/:id/pins', c => {
    const grant = authorize(c, state, READ);
    const board = requireBoard(state, grant, c.req.param('id'));
    return page(
      c,
      listed(state, grant)
        .filter(({ board_id }) => board_id === board.id)
        .map(view),
    );
  });
  api.get('/v5/pins/:id', c => c.json(view(requirePin(state, authorize(c, state, READ), c.req.param('id')))));
}

export function requireBoard({ accounts }: PinterestState, { account }: Grant, boardId: string) {
  const board = boardsOf(account).find(each => each.id === boardId);
  if (board) return board;
  const isForeign = accounts.values().some(each => boardsOf(each).some(({ id: other }) => other === boardId));
  return isForeign
    ? refuse(403, 7, 'You are not authorized to access that board or pin.')
    : refuse(404, 40, 'Board not found.');
}

export function requirePin(state: PinterestState, { account, world }: Grant, pinId: string): StoredPin {
  const pin = state.pins.get(pinId);
  return pin?.account_id === account.id && pin.world === world ? pin : refuse(404, 50, 'Pin not found.');
}

/** Pins of the account that the list shows already, newest first. */
function listed({ host, pins }: PinterestState, { account, world }: Grant): StoredPin[] {
  const until = host.now() - account.list_lag_s * SECOND;
  return pins
    .values()
    .filter(pin => pin.account_id === account.id && pin.world === world && pin.created_at <= until)
    .reverse();
}

async function create(c: Context, state: PinterestState, grant: Grant): Promise<Response> {
  const { account, world } = grant;
  if (account.trial && world === 'production') {
    return refuse(
      403,
      29,
      'You are not permitted to access that resource. Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.',
    );
  }
  const body = await jsonBody(c, CreateSchema);
  const board = requireBoard(state, grant, body.board_id);
  const section = body.board_section_id;
  if (section !== null && !board.sections.some(each => each.id === section)) {
    return refuse(404, 2031, 'Board section not found.');
  }
  checkLink(body.link);
  if (state.host.limit('pinterest', account.id)?.['code'] === 'spam') {
    return refuse(429, 8, 'This Pin was blocked because it looks like spam.');
  }
  const files = await filesOf(state, grant, body.media_source);
  const pin: StoredPin = {
    id: newId(),
    account_id: account.id,
    world,
    board_id: board.id,
    created_at: state.host.now(),
    title: body.title,
    description: body.description,
    link: body.link,
    alt_text: body.alt_text,
    section_id: section,
    creative_type: CREATIVE_TYPES[body.media_source.source_type],
  };
  state.pins.set(pin.id, pin);
  publish(state, pin, files, body);
  return c.json(view(pin), 201);
}

const CREATIVE_TYPES = {
  image_url: 'REGULAR',
  image_base64: 'REGULAR',
  multiple_image_urls: 'CAROUSEL',
  multiple_image_base64: 'CAROUSEL',
  video_id: 'VIDEO',
} as const;

function checkLink(link: string | null): void {
  if (link === null) return;
  if (!/^https?:\/\//.test(link) || !URL.canParse(link)) {
    invalid('Whoops! It looks like you entered an invalid URL. Try again.');
  }
}

function publish(
  { host }: PinterestState,
  pin: StoredPin,
  files: readonly StoredMedia[],
  body: v.InferOutput<typeof CreateSchema>,
): void {
  const kinds = { REGULAR: 'image', CAROUSEL: 'album', VIDEO: 'video' } as const;
  host.publish({
    platform: 'pinterest',
    account: pin.account_id,
    platform_post_id: pin.id,
    platform_post_url: `https://www.pinterest.com/pin/${pin.id}/`,
    kind: kinds[pin.creative_type],
    text: pin.description ?? '',
    title: pin.title,
    media: [...files],
    comments: [],
    fields: shownFields(body),
    published_at: new Date(pin.created_at).toISOString(),
  });
}

/** The fields that were sent, without the bytes of images. */
function shownFields(body: object): JsonObject {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const withoutData = (name: string, value: unknown) => (name === 'data' ? '…' : value);
  return JSON.parse(JSON.stringify(Object.fromEntries(given), withoutData)) as JsonObject;
}

/** Times come without a zone. */
function view(pin: StoredPin) {
  const {
    id: pinId,
    title,
    description,
    link,
    alt_text,
    board_id,
    section_id,
    creative_type,
    created_at,
  } = pin;
  const types = { REGULAR: 'image', CAROUSEL: 'multiple_images', VIDEO: 'video' } as const;
  return {
    id: pinId,
    created_at: new Date(created_at).toISOString().slice(0, 23),
    title,
    description,
    link,
    alt_text,
    board_id,
    board_section_id: section_id,
    creative_type,
    is_owner: true,
    is_standard: true,
    parent_pin_id: null,
    pin_metrics: null,
    media: { media_type: types[creative_type] },
  };
}
