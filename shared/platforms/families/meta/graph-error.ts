import * as v from 'valibot';
import type { HttpResponse } from '../../../net/http.ts';
import { parseLongIntegers } from '../../kit/long-integers.ts';

/** An error response in whichever of Meta's formats. */
export interface GraphError {
  status: number;
  /** 0 where the body names none. */
  code: number;
  subcode: number;
  type: string;
  /** Meta's technical message. */
  message: string;
  /** Meta's message for the user, in the language of the request; '' where there is none. */
  userMessage: string;
  /** Null where the body does not say. */
  isTransient: boolean | null;
  /** Reported to Meta's support. */
  traceId: string;
  /** Facts about the error, such as the offset to continue an upload at. */
  data: Readonly<Record<string, string>>;
}

const text = v.fallback(v.string(), '');
const number = v.fallback(v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.number()), 0);

const facts = v.fallback(
  v.record(v.string(), v.pipe(v.union([v.string(), v.number()]), v.transform(String))),
  {},
);

/** The Graph API. */
const ErrorSchema = v.object({
  error: v.object({
    message: text,
    type: text,
    code: number,
    error_subcode: number,
    is_transient: v.fallback(v.nullable(v.boolean()), null),
    error_user_msg: text,
    error_user_title: text,
    fbtrace_id: text,
    error_data: facts,
  }),
});
/** The token endpoints of api.instagram.com and graph.threads.net. */
const OAuthErrorSchema = v.object({ error_type: text, code: number, error_message: v.string() });
/** rupload.facebook.com. */
const UploadErrorSchema = v.object({
  debug_info: v.object({ retriable: v.fallback(v.boolean(), false), type: text, message: text }),
});

const UNKNOWN: Omit<GraphError, 'status'> = {
  code: 0,
  subcode: 0,
  type: '',
  message: '',
  userMessage: '',
  isTransient: null,
  traceId: '',
  data: {},
};

/** Reads an error response. A body in none of the formats, such as a proxy's page, has code 0. */
export function readGraphError({ status, body }: Pick<HttpResponse, 'status' | 'body'>): GraphError {
  const json = parseLongIntegers(body.toString('utf8'));
  const graph = v.safeParse(ErrorSchema, json);
  if (graph.success) {
    const { error } = graph.output;
    const userMessage = [error.error_user_title, error.error_user_msg].filter(Boolean).join(': ');
    return {
      status,
      code: error.code,
      subcode: error.error_subcode,
      type: error.type,
      message: error.message,
      userMessage,
      isTransient: error.is_transient,
      traceId: error.fbtrace_id,
      data: error.error_data,
    };
  }
  const oauth = v.safeParse(OAuthErrorSchema, json);
  if (oauth.success) {
    const { error_type: type, code, error_message: message } = oauth.output;
    return { ...UNKNOWN, status, code, type, message };
  }
  const upload = v.safeParse(UploadErrorSchema, json);
  if (!upload.success) return { ...UNKNOWN, status };
  const { type, message, retriable: isTransient } = upload.output.debug_info;
  return { ...UNKNOWN, status, type, message, isTransient };
}
