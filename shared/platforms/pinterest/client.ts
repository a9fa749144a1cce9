import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { SECOND } from '../../time/instant.ts';
import { Id, send, type Call, type Caller } from './call.ts';

/* Calls of API v5. All throw PlatformError. */

/** Pinterest fetches the images before it answers. */
const CREATE_TIMEOUT_MS = 60 * SECOND;
const PAGE_SIZE = '250';
/** Bounds a list that does not end: an account has at most 2000 boards. */
const MAX_PAGES = 20;

const text = v.fallback(v.nullish(v.string(), null), null);

const UserSchema = v.object({
  /** Older answers may lack it. */
  id: v.optional(v.string()),
  username: v.pipe(v.string(), v.nonEmpty()),
  business_name: text,
  profile_image: text,
  account_type: text,
});
export type User = v.InferOutput<typeof UserSchema>;

export function getUser(caller: Caller): Promise<User> {
  return send(caller, { what: 'Reading the account', method: 'GET', path: '/user_account' }, UserSchema);
}

const BoardSchema = v.object({
  id: Id,
  name: v.string(),
  description: text,
  privacy: text,
  pin_count: v.fallback(v.nullish(v.number(), null), null),
  is_ads_only: v.fallback(v.nullish(v.boolean(), null), null),
  media: v.fallback(v.nullish(v.object({ image_cover_url: text }), null), null),
});
export type Board = v.InferOutput<typeof BoardSchema>;

/** Returns all boards that the account can pin to, those that it shares included. */
export async function listBoards(caller: Caller): Promise<Board[]> {
  const boards = await listAll(
    caller,
    { what: 'Reading the boards', method: 'GET', path: '/boards' },
    BoardSchema,
  );
  return boards.filter(({ is_ads_only }) => is_ads_only !== true);
}

const SectionSchema = v.object({ id: Id, name: v.string() });
export type Section = v.InferOutput<typeof SectionSchema>;

export function listSections(caller: Caller, boardId: string): Promise<Section[]> {
  const path = `/boards/${boardId}/sections`;
  return listAll(caller, { what: 'Reading the sections of the board', method: 'GET', path }, SectionSchema);
}

/** Reads all pages of a list. */
async function listAll<T>(caller: Caller, call: Call, item: v.GenericSchema<unknown, T>): Promise<T[]> {
  const schema = v.object({ items: v.array(item), bookmark: v.nullish(v.string(), null) });
  const items: T[] = [];
  let bookmark: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: Record<string, string> = {
      page_size: PAGE_SIZE,
      ...(bookmark === null ? {} : { bookmark }),
    };
    const answer: { items: T[]; bookmark: string | null } = await send(caller, { ...call, query }, schema);
    items.push(...answer.items);
    bookmark = answer.bookmark;
    if (bookmark === null || bookmark === '') break;
  }
  return items;
}

const PinSchema = v.object({
  id: Id,
  created_at: text,
  title: text,
  description: text,
  link: text,
  board_id: text,
});
export type Pin = v.InferOutput<typeof PinSchema>;

/** Creates a Pin and returns its id. */
export async function createPin(caller: Caller, pin: JsonObject): Promise<string> {
  const call = { what: 'Publishing', method: 'POST', path: '/pins', json: pin } as const;
  return (await send(caller, { ...call, timeoutMs: CREATE_TIMEOUT_MS }, v.object({ id: Id }))).id;
}

/** Returns the newest Pins of a board, or of all boards of the account. */
export async function recentPins(caller: Caller, boardId: string | null): Promise<Pin[]> {
  const path = boardId === null ? '/pins' : `/boards/${boardId}/pins`;
  const call = { what: 'Reading the Pins', method: 'GET', path, query: { page_size: '25' } } as const;
  return (await send(caller, call, v.object({ items: v.array(PinSchema) }))).items;
}

const UploadSchema = v.object({
  media_id: Id,
  upload_url: v.pipe(v.string(), v.url(), v.startsWith('https://')),
  upload_parameters: v.record(v.string(), v.string()),
});
export type Upload = v.InferOutput<typeof UploadSchema>;

/** Registers a video and returns where to send it. */
export function registerUpload(caller: Caller): Promise<Upload> {
  const call = { what: 'Registering the video', method: 'POST', path: '/media' } as const;
  return send(caller, { ...call, json: { media_type: 'video' } }, UploadSchema);
}

export async function uploadStatus(caller: Caller, mediaId: string): Promise<string> {
  const call = { what: 'Reading the status of the video', method: 'GET', path: `/media/${mediaId}` } as const;
  return (await send(caller, call, v.object({ status: v.string() }))).status;
}

const count = v.fallback(v.nullish(v.number(), 0), 0);
const AnalyticsSchema = v.object({
  all: v.object({
    lifetime_metrics: v.fallback(v.object({ TOTAL_COMMENTS: count, TOTAL_REACTIONS: count }), {
      TOTAL_COMMENTS: 0,
      TOTAL_REACTIONS: 0,
    }),
    summary_metrics: v.fallback(v.object({ IMPRESSION: count, SAVE: count }), { IMPRESSION: 0, SAVE: 0 }),
  }),
});
export type PinAnalytics = v.InferOutput<typeof AnalyticsSchema>['all'];

/** Returns the metrics of a Pin between two days (`YYYY-MM-DD`, UTC). */
export async function pinAnalytics(
  caller: Caller,
  pinId: string,
  days: { start_date: string; end_date: string },
): Promise<PinAnalytics> {
  const query = {
    ...days,
    metric_types: 'IMPRESSION,SAVE,TOTAL_COMMENTS,TOTAL_REACTIONS',
    app_types: 'ALL',
    split_field: 'NO_SPLIT',
  };
  const call = { what: 'Reading metrics', method: 'GET', path: `/pins/${pinId}/analytics`, query } as const;
  return (await send(caller, call, AnalyticsSchema)).all;
}
