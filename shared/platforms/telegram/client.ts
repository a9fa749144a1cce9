import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../model/json.ts';
import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { classify, type ErrorResponse } from './errors.ts';
import { multipart, type FormFilePart } from '../../net/multipart.ts';

const BASE = 'https://api.telegram.org';

/** Long, since a lost response can never be reconciled: a bot cannot read the messages of a chat. */
const CALL_TIMEOUT_MS = 60_000;
export const UPLOAD_TIMEOUT_MS = 150_000;

export const ChatSchema = v.object({
  id: v.number(),
  type: v.picklist(['private', 'group', 'supergroup', 'channel']),
  title: v.optional(v.string()),
  username: v.optional(v.string()),
});
export type Chat = v.InferOutput<typeof ChatSchema>;

/** Rights of a bot or of a group's members; an absent right is not granted. */
const right = v.optional(v.boolean(), false);
const SendRights = v.object({
  can_send_messages: right,
  can_send_photos: right,
  can_send_videos: right,
  can_send_documents: right,
});
export type SendRights = v.InferOutput<typeof SendRights>;

const UserSchema = v.object({ id: v.number(), first_name: v.string(), username: v.optional(v.string()) });
const ChatFullInfoSchema = v.object({
  ...ChatSchema.entries,
  first_name: v.optional(v.string()),
  permissions: v.optional(SendRights),
});
const ChatMemberSchema = v.object({
  status: v.picklist(['creator', 'administrator', 'member', 'restricted', 'left', 'kicked']),
  can_post_messages: right,
  is_member: right,
  ...SendRights.entries,
});
export type ChatMember = v.InferOutput<typeof ChatMemberSchema>;
export type ChatFullInfo = v.InferOutput<typeof ChatFullInfoSchema>;

const MessageSchema = v.object({ message_id: v.number(), date: v.number(), chat: ChatSchema });
export type Message = v.InferOutput<typeof MessageSchema>;

const ResponseSchema = v.variant('ok', [
  v.object({ ok: v.literal(true), result: v.unknown() }),
  v.object({
    ok: v.literal(false),
    error_code: v.number(),
    description: v.optional(v.string(), ''),
    parameters: v.optional(
      v.object({ retry_after: v.optional(v.number()), migrate_to_chat_id: v.optional(v.number()) }),
    ),
  }),
]);

export interface Upload {
  files: Readonly<Record<string, FormFilePart>>;
  timeoutMs?: number;
}

/** Calls of the Bot API. All throw PlatformError, or ChatMigrated when the chat has a new id. */
export interface TelegramClient {
  getMe: () => Promise<v.InferOutput<typeof UserSchema>>;
  getChat: (chatId: string) => Promise<ChatFullInfo>;
  getChatMember: (chatId: string, userId: number) => Promise<ChatMember>;
  sendMessage: (fields: { chat_id: string; text: string }) => Promise<Message>;
  sendFile: (method: SendFileMethod, fields: Record<string, string>, upload: Upload) => Promise<Message>;
  sendMediaGroup: (fields: { chat_id: string; media: string }, upload: Upload) => Promise<Message[]>;
}

export type SendFileMethod = 'sendPhoto' | 'sendVideo' | 'sendAnimation' | 'sendDocument';

export function telegramClient(http: HttpClient, token: string): TelegramClient {
  async function call<T>(method: string, init: CallInit, result: v.GenericSchema<unknown, T>): Promise<T> {
    const response = await http
      .send({ method: 'POST', url: `${BASE}/bot${token}/${method}`, timeoutMs: CALL_TIMEOUT_MS, ...init })
      .catch((error: unknown) => {
        throw fromFailure(method, error, token);
      });
    const parsed = v.safeParse(ResponseSchema, parseJson(response.body.toString()));
    if (!parsed.success) throw classify(unreadable(method, response));
    if (!parsed.output.ok) throw classify(errorResponseOf(parsed.output, response, token));
    const value = v.safeParse(result, parsed.output.result);
    if (!value.success) throw classify({ ...unreadable(method, response), status: 200 });
    return value.output;
  }

  return {
    getMe: () => call('getMe', json({}), UserSchema),
    getChat: chat_id => call('getChat', json({ chat_id }), ChatFullInfoSchema),
    getChatMember: (chat_id, user_id) => call('getChatMember', json({ chat_id, user_id }), ChatMemberSchema),
    sendMessage: fields => call('sendMessage', json(fields), MessageSchema),
    sendFile: (method, fields, upload) => call(method, form(fields, upload), MessageSchema),
    sendMediaGroup: (fields, upload) =>
      call('sendMediaGroup', form(fields, upload), v.pipe(v.array(MessageSchema), v.minLength(1))),
  };
}

type CallInit = Partial<HttpRequest>;

function json(fields: JsonObject): CallInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
}

function form(fields: Record<string, string>, { files, timeoutMs = UPLOAD_TIMEOUT_MS }: Upload): CallInit {
  const { contentType, body } = multipart(fields, files);
  return { headers: { 'content-type': contentType }, body, timeoutMs };
}

type ErrorBody = Extract<v.InferOutput<typeof ResponseSchema>, { ok: false }>;

function errorResponseOf(answer: ErrorBody, response: HttpResponse, token: string): ErrorResponse {
  const header = Number(response.headers['retry-after'] ?? NaN);
  return {
    status: answer.error_code,
    description: redactToken(answer.description, token),
    retryAfterS: answer.parameters?.retry_after ?? (Number.isFinite(header) ? header : undefined),
    migrateTo: answer.parameters?.migrate_to_chat_id,
    isFromBotApi: true,
  };
}

/** A response that is not the Bot API's own, such as a proxy's HTML page. */
function unreadable(method: string, { status }: HttpResponse): ErrorResponse {
  return { status, description: `${method}: status ${status} without a JSON body`, isFromBotApi: false };
}

function fromFailure(method: string, error: unknown, token: string): PlatformError {
  const sent = error instanceof HttpFailure ? error.sent : true;
  const reason = error instanceof Error ? error.message : 'no response';
  return new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${method}: ${redactToken(reason, token)}`,
    outcomeUnknown: sent,
  });
}

/** Removes the token, which is part of every URL, from texts that leave this module. */
function redactToken(text: string, token: string): string {
  return text.replaceAll(token, '[token]').replace(/\d{3,16}:[\w-]{30,50}/g, '[token]');
}
