import * as v from 'valibot';
import { API, fetchResponse, itemsOf, refusalOf, send, type Call, type Caller } from './call.ts';
import { UNITS } from './quota.ts';

/* Transport of the Live Streaming API, and what it answers. */

const text = v.pipe(v.string(), v.nonEmpty());
const time = v.optional(
  v.pipe(
    v.string(),
    v.transform(instant => Date.parse(instant)),
  ),
);

export const BroadcastSchema = v.object({
  id: text,
  snippet: v.object({
    title: v.string(),
    description: v.optional(v.string(), ''),
    publishedAt: time,
    scheduledStartTime: time,
  }),
  status: v.object({ lifeCycleStatus: v.string() }),
});

export const StreamSchema = v.object({
  id: text,
  snippet: v.object({ description: v.optional(v.string(), '') }),
  cdn: v.object({
    ingestionInfo: v.object({
      streamName: text,
      ingestionAddress: text,
      rtmpsIngestionAddress: v.optional(text),
    }),
  }),
});
export type Stream = v.InferOutput<typeof StreamSchema>;

export const StreamStatusSchema = v.object({ status: v.object({ streamStatus: v.string() }) });

type Named = Pick<Call, 'what'> & { path: string; query: Readonly<Record<string, string>> };

/** Returns the items of a list. */
export async function read<T>(caller: Caller, named: Named, item: v.GenericSchema<unknown, T>): Promise<T[]> {
  return (await send(caller, listCall(named), itemsOf(item))).items;
}

/** Enough for a thousand items; a channel has few that are not over. */
const MAX_PAGES = 20;

/** Returns the items of all pages of a list. */
export async function readAll<T>(
  caller: Caller,
  named: Named,
  item: v.GenericSchema<unknown, T>,
): Promise<T[]> {
  const schema = v.object({ ...itemsOf(item).entries, nextPageToken: v.optional(v.string()) });
  const found: T[] = [];
  let next: Record<string, string> = {};
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { ...named.query, maxResults: '50', ...next };
    const { items, nextPageToken } = await send(caller, listCall({ ...named, query }), schema);
    found.push(...items);
    if (nextPageToken === undefined) break;
    next = { pageToken: nextPageToken };
  }
  return found;
}

const listCall = ({ what, path, query }: Named): Call => ({
  what,
  purpose: 'live',
  method: 'GET',
  url: `${API}/${path}`,
  query,
  units: UNITS.list,
});

/** A call that changes something. Google refuses a POST without a length: a body of no bytes has one. */
export const changeCall = ({ what, path, query }: Named, method: 'POST' | 'DELETE' = 'POST'): Call => ({
  what,
  purpose: 'live',
  method,
  url: `${API}/${path}`,
  query,
  units: UNITS.live_change,
  ...(method === 'POST' ? { body: '' } : {}),
});

/**
 * Sends a change whose response holds nothing of interest. Returns the reason when YouTube refuses it for one of those that
 * are expected; null when it is done.
 */
export async function change(
  caller: Caller,
  call: Call,
  expected: readonly string[] = [],
): Promise<string | null> {
  const response = await fetchResponse(caller, call);
  if (response.status >= 200 && response.status <= 299) return null;
  const error = await refusalOf(caller, call, response);
  const reason = expected.find(each => error.has(each));
  if (reason === undefined) throw error;
  return reason;
}
