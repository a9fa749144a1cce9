import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../model/json.ts';
import { HttpFailure, type HttpClient, type HttpRequest } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';

const BASE = 'https://api.noticeboard.example/v1';
const TIMEOUT_MS = 20_000;

export const CredentialsSchema = v.object({ token: v.string() });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;

const NoticeSchema = v.object({ id: v.string(), url: v.string(), pinned: v.boolean() });
export type Notice = v.InferOutput<typeof NoticeSchema>;

const LoginSchema = v.object({ token: v.string(), board: v.object({ id: v.string(), name: v.string() }) });
const NoticesSchema = v.object({ notices: v.array(NoticeSchema) });
export const SectionsSchema = v.object({ sections: v.array(v.object({ id: v.string(), name: v.string() })) });

interface NewNotice {
  /** Makes the request idempotent. */
  key: string;
  text: string;
  section?: string;
}

/** Calls of the Noticeboard API. All throw PlatformError. */
export function noticeboardClient(http: HttpClient, token: string | null) {
  async function call<T>(
    method: HttpRequest['method'],
    path: string,
    body: JsonObject | null,
    schema: v.GenericSchema<unknown, T>,
  ): Promise<T> {
    const response = await http
      .send({
        method,
        url: BASE + path,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
      })
      .catch((error: unknown) => {
        throw unavailable(error instanceof HttpFailure ? error.sent : true);
      });
    if (response.status >= 400) throw errorOf(response.status, response.body.toString());
    const parsed = v.safeParse(schema, parseJson(response.body.toString()));
    if (!parsed.success) throw unavailable(true);
    return parsed.output;
  }

  return {
    login: (board: string, password: string) => call('POST', '/login', { board, password }, LoginSchema),
    sections: () => call('GET', '/sections', null, SectionsSchema),
    post: (notice: NewNotice) => call('POST', '/notices', { ...notice }, NoticeSchema),
    find: (key: string) => call('GET', `/notices?key=${encodeURIComponent(key)}`, null, NoticesSchema),
    pin: (id: string) => call('PUT', `/notices/${encodeURIComponent(id)}/pin`, null, NoticeSchema),
  };
}

function unavailable(outcomeUnknown: boolean): PlatformError {
  return new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Noticeboard did not respond',
    outcomeUnknown,
  });
}

const ErrorSchema = v.object({ error: v.string() });

function errorOf(status: number, body: string): PlatformError {
  const parsed = v.safeParse(ErrorSchema, parseJson(body));
  const message = parsed.success ? parsed.output.error : `Status ${status}`;
  if (status === 401) return new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
  if (status === 429)
    return new PlatformError({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', message });
  if (status >= 500) return unavailable(true);
  return new PlatformError({ kind: 'rejected', code: 'CONTENT_REJECTED', message });
}
