import * as v from 'valibot';
import { parseJson, type Json } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';

/* The envelope of all answers. An error may come with HTTP 200, and in a list each member has a status of its own. */

const text = v.fallback(v.nullish(v.string(), ''), '');

const EnvelopeSchema = v.object({
  request_status: text,
  request_id: text,
  error_code: text,
  debug_message: text,
  display_message: text,
});
type Envelope = v.InferOutput<typeof EnvelopeSchema>;

const MemberSchema = v.object({ sub_request_status: text, sub_request_error_reason: text });
const ListsSchema = v.record(v.string(), v.fallback(v.array(v.unknown()), []));

/** An answer that is not a success, whatever its HTTP status. */
export interface ErrorResponse {
  status: number;
  /** Snapchat's code; empty where it gives none. */
  code: string;
  /** Snapchat's own words; empty where it gives none. */
  message: string;
  /** Names the request in Snapchat's logs; empty where it is unknown. */
  requestId: string;
}

export type Reading =
  | { type: 'success'; json: Json }
  | { type: 'error'; error: ErrorResponse }
  /** A 2xx without Snapchat's envelope: a proxy's page, or a body that was cut off. */
  | { type: 'unreadable' };

/** Reads an answer. `partial`: members of a list may have failed. */
export function readAnswer({ status, body }: HttpResponse, partial: boolean): Reading {
  const raw = body.toString('utf8');
  const json = parseJson(raw);
  const parsed = v.safeParse(EnvelopeSchema, json);
  const envelope = parsed.success ? parsed.output : v.parse(EnvelopeSchema, {});
  const isOk = status >= 200 && status <= 299;
  if (isOk && envelope.request_status === '' && envelope.error_code === '') return { type: 'unreadable' };
  const failed = failedMembers(json);
  if (isOk && isSuccess(envelope, partial) && (partial || failed.length === 0))
    return { type: 'success', json };
  const words = [envelope.debug_message || envelope.display_message, ...failed].filter(Boolean).join('; ');
  const { error_code: code, request_id: requestId } = envelope;
  return { type: 'error', error: { status, code, message: words || plainText(raw, code), requestId } };
}

function isSuccess({ request_status, error_code }: Envelope, partial: boolean): boolean {
  if (error_code !== '') return false;
  return (
    request_status.toUpperCase() === 'SUCCESS' || (partial && request_status.toUpperCase() === 'PARTIAL')
  );
}

/** Returns the reasons of a list's members that failed. */
function failedMembers(json: Json): string[] {
  const lists = v.safeParse(ListsSchema, json);
  if (!lists.success) return [];
  return Object.values(lists.output)
    .flat()
    .flatMap(member => {
      const parsed = v.safeParse(MemberSchema, member);
      if (!parsed.success) return [];
      const { sub_request_status, sub_request_error_reason } = parsed.output;
      const isFine = ['', 'SUCCESS'].includes(sub_request_status.toUpperCase());
      return isFine ? [] : [sub_request_error_reason || `sub_request_status ${sub_request_status}`];
    });
}

const MAX_TEXT = 300;

/** Some errors are a mere text. */
function plainText(raw: string, code: string): string {
  return code !== '' || raw.trimStart().startsWith('<') ? '' : raw.trim().slice(0, MAX_TEXT);
}
