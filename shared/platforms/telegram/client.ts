import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../model/json.ts';
import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { classify, type Refusal } from './errors.ts';
import { multipart, type UploadFile } from '../../net/multipart.ts';

const BASE = 'https://api.telegram.org';

/** Long, since a lost answer can never be cleared up: a bot cannot read a chat. */
const CALL_TIMEOUT_MS = 60_000;
export const UPLOAD_TIMEOUT_MS = 150_000;

export const ChatSchema = v.object({
  id: v.number(),
  type: v.picklist(['private', 'group', 'supergroup', 'channel']),
  title: v.optional(v.string()),
  username: v.optional(v.string()),
});
export type Chat = v.InferOutput<typeof ChatSchema>;

/** What a bot or a group's members may do; an absent right is no right. */
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

const AnswerSchema = v.variant('ok', [
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
  files: Readonly<Record<string, UploadFile>>;
  timeoutMs?: number;
}

/** Calls of the Bot API. All throw PlatformError, or ChatMigrated where the chat has a new id. */
export interface TelegramClient {
  getMe: () => Promise<v.InferOutput<typeof UserSchema>>;
  getChat: (chatId: string) => Promise<ChatFullInfo>;
  getChatMember: (chatId: string, userId: number) => Promise<ChatMember>;
  sendMessage: (fields: { chat_id: string; text: string }) => Promise<Message>;
  /** `sendPhoto`, `sendVideo`, `sendAnimation`, `sendDocument`. */
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
    const answer = v.safeParse(AnswerSchema, parseJson(response.body.toString()));
    if (!answer.success) throw classify(unreadable(method, response));
    if (!answer.output.ok) throw classify(refusalOf(answer.output, response, token));
    const parsed = v.safeParse(result, answer.output.result);
    if (!parsed.success) throw classify({ ...unreadable(method, response), status: 200 });
    return parsed.output;
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

type Refused = Extract<v.InferOutput<typeof AnswerSchema>, { ok: false }>;

function refusalOf(answer: Refused, response: HttpResponse, token: string): Refusal {
  const header = Number(response.headers['retry-after'] ?? NaN);
  return {
    status: answer.error_code,
    description: withoutToken(answer.description, token),
    retryAfterS: answer.parameters?.retry_after ?? (Number.isFinite(header) ? header : undefined),
    migrateTo: answer.parameters?.migrate_to_chat_id,
    answered: true,
  };
}

/** A proxy's page, not the Bot API's own answer. */
function unreadable(method: string, { status }: HttpResponse): Refusal {
  return { status, description: `${method} answered with status ${status} and no JSON`, answered: false };
}

function fromFailure(method: string, error: unknown, token: string): PlatformError {
  const sent = error instanceof HttpFailure ? error.sent : true;
  const words = error instanceof Error ? error.message : 'no answer';
  return new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${method}: ${withoutToken(words, token)}`,
    outcomeUnknown: sent,
  });
}

/** The token is a part of every URL; no text that leaves this file may carry it. */
function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '[token]').replace(/\d{3,16}:[\w-]{30,50}/g, '[token]');
}
