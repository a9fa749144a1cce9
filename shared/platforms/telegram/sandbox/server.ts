import { Hono, type Context, type Env } from 'hono';
import * as v from 'valibot';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';
import { findLinks } from '../../kit/sandbox/links.ts';
import { MB } from '../../kit/sizes.ts';
import {
  ChangeSchema,
  chatFullInfoOf,
  chatMemberOf,
  CHATS,
  ChatSchema,
  DEMO_BOT,
  DEMO_CHAT,
  DEMO_TOKEN,
  type SandboxChat,
} from './chats.ts';
import { chatPhoto } from './chat-photo.ts';
import { createFileStore, type FileKind } from './files.ts';
import { badRequest, BotApiError, forbidden, readRequest, type BotRequest } from './request.ts';
import { albumKinds, sendFile, sendMediaGroup, sendMessage, type SendContext } from './send.ts';

const MINUTE_MS = 60_000;
const DELETABLE_MS = 48 * 60 * MINUTE_MS;
const MAX_TOKEN = 80;
const GET_FILE_MAX = 20 * MB;

type Method = (request: BotRequest) => Json | Promise<Json>;

/** Telegram's Bot API, the methods that a publisher uses. Like the real one it cannot read a chat. */
export const sandbox: SandboxDefinition = {
  platform: 'telegram',
  badge: { name: 'Telegram', letters: 'T', color: '#1678ac' },
  hosts: ['api.telegram.org'],
  secrets: { path: /(?<=^\/(?:file\/)?bot)[^/]+/ },
  links: text =>
    findLinks(text, {
      hashtag: tag => `https://t.me/s/?q=${encodeURIComponent(`#${tag}`)}`,
      screenName: name => `https://t.me/${name}`,
    }),
  demo: { body: { chat_id: DEMO_CHAT, bot_token: DEMO_TOKEN } },
  start,
};

function start(host: SandboxHost): SandboxPlatform {
  const files = createFileStore(host);
  const chats = host.collection('chats', ChatSchema);
  const lastIds = host.collection('last-message-ids', v.number());
  const tokens = host.collection('revoked-tokens', v.literal(true));
  let photo: Promise<JsonObject> | undefined;
  if (chats.values().length === 0) seedChats();
  const sent = new Map<number, number[]>();

  const context: SendContext = {
    host,
    files,
    nextId: ({ id }) => {
      const next = (lastIds.get(String(id)) ?? 0) + 1;
      lastIds.set(String(id), next);
      return next;
    },
    checkFlood: (chat, messages) => checkFlood(host, sent, chat, messages),
  };

  const file =
    (kind: FileKind): Method =>
    request =>
      sendFile(context, writable(request, RIGHTS[kind]), request, kind);
  const methods: Readonly<Record<string, Method>> = {
    getme: () => ({ ...DEMO_BOT, is_bot: true }),
    getchat: getChat,
    getchatmember: getChatMember,
    getfile: getFile,
    sendmessage: request => sendMessage(context, writable(request, 'can_send_messages'), request),
    sendphoto: file('photo'),
    sendvideo: file('video'),
    sendanimation: file('animation'),
    senddocument: file('document'),
    sendmediagroup: sendAlbum,
    deletemessage: deleteMessage,
  };

  /** An album needs the right for each kind of item in it. */
  function sendAlbum(request: BotRequest): Promise<Json> {
    for (const kind of albumKinds(request)) writable(request, RIGHTS[kind]);
    return sendMediaGroup(context, find(request), request);
  }

  function seedChats(): void {
    chats.clear();
    for (const chat of CHATS) chats.set(String(chat.id), chat);
  }

  function find({ values }: BotRequest): SandboxChat {
    const name = (values.get('chat_id') ?? '').trim();
    if (name === '') throw badRequest('chat_id is empty');
    const chat = findChat(name);
    if (!chat) throw badRequest('chat not found');
    return chat;
  }

  function findChat(name: string): SandboxChat | undefined {
    if (!name.startsWith('@')) return chats.get(name);
    const username = name.slice(1).toLowerCase();
    return chats.values().find(chat => chat.type !== 'private' && chat.username?.toLowerCase() === username);
  }

  /**
   * Stays available for upgraded, deleted and left basic groups and for public chats that the bot has not joined. Channels
   * and supergroups that removed the bot, and private ones that it is not in, refuse it.
   */
  async function getChat(request: BotRequest): Promise<Json> {
    const chat = find(request);
    if (!isBasicGroup(chat)) {
      assertNotKicked(chat);
      if (chat.status === 'left' && chat.username === undefined) throw notMember(chat);
    }
    return chatFullInfoOf(chat, chat.username === undefined ? null : await (photo ??= addPhoto()));
  }

  async function addPhoto(): Promise<JsonObject> {
    const bytes = await chatPhoto();
    const [small, big] = [
      await files.add('photo', { name: 'small.png', type: 'image/png', bytes }),
      await files.add('photo', { name: 'big.png', type: 'image/png', bytes }),
    ];
    return {
      small_file_id: small.id,
      small_file_unique_id: small.id.slice(2, 16),
      big_file_id: big.id,
      big_file_unique_id: big.id.slice(2, 16),
    };
  }

  function readable(request: BotRequest): SandboxChat {
    const chat = find(request);
    if (chat.deleted) throw forbidden('the group chat was deleted');
    if (typeof chat.migrated_to === 'number') {
      const parameters = { migrate_to_chat_id: chat.migrated_to };
      throw badRequest('group chat was upgraded to a supergroup chat', parameters);
    }
    assertNotKicked(chat);
    return chat;
  }

  function writable(request: BotRequest, right: string): SandboxChat {
    const chat = readable(request);
    if (chat.status === 'left') throw notMember(chat);
    if (chat.lacks === 'can_post_messages') throw badRequest('need administrator rights in the channel chat');
    if (chat.lacks === 'can_send_messages' && chat.status === 'restricted') {
      throw badRequest('have no write access to the chat');
    }
    if (chat.lacks === right) {
      throw badRequest(`not enough rights to send ${CONTENT[right] ?? 'messages'} to the chat`);
    }
    return chat;
  }

  function getChatMember(request: BotRequest): JsonObject {
    const chat = readable(request);
    if (request.values.get('user_id') !== String(DEMO_BOT.id)) throw badRequest('user not found');
    return chatMemberOf(chat, { ...DEMO_BOT, is_bot: true });
  }

  function getFile({ values }: BotRequest): JsonObject {
    const known = files.byId(values.get('file_id') ?? '');
    if (!known) throw badRequest('invalid file_id');
    const { id, path, media } = known;
    if (media.size > GET_FILE_MAX) throw badRequest('file is too big');
    return { file_id: id, file_unique_id: id.slice(2, 16), file_size: media.size, file_path: path };
  }

  function deleteMessage(request: BotRequest): boolean {
    const chat = writable(request, 'can_send_messages');
    const id = `${chat.id}:${request.values.get('message_id') ?? ''}`;
    const post = host.posts('telegram').find(({ platform_post_id }) => platform_post_id === id);
    if (!post) throw badRequest('message to delete not found');
    if (host.now() - Date.parse(post.published_at) > DELETABLE_MS)
      throw badRequest("message can't be deleted");
    host.unpublish('telegram', id);
    return true;
  }

  /** Throws unless the token is valid. */
  function authorize(token: string): void {
    if (!token.includes(':') || token.startsWith('0') || token.length > MAX_TOKEN) {
      throw new BotApiError(401, 'Unauthorized: invalid token specified');
    }
    if (!/^\d+:/.test(token)) throw new BotApiError(421, 'Misdirected Request: unallowed token specified');
    if (token !== DEMO_TOKEN || tokens.get(token)) throw new BotApiError(401, 'Unauthorized');
  }

  async function call(c: Context<Env, string>): Promise<Response> {
    const [, , bot = '', name = '', ...rest] = c.req.path.split('/').map(decodeURIComponent);
    if (!bot.startsWith('bot') || name === '' || rest.length > 0) throw new BotApiError(404, 'Not Found');
    authorize(bot.slice('bot'.length));
    const method = methods[name.toLowerCase()];
    if (!method) throw new BotApiError(404, 'Not Found: method not found');
    return c.json({ ok: true, result: await method(await readRequest(c.req)) });
  }

  const app = new Hono();
  app.get('/api.telegram.org/file/:bot/*', c => {
    authorize(c.req.param('bot').replace(/^bot/, ''));
    const path = c.req.path.split('/').slice(4).join('/');
    const known = files.byPath(path);
    if (!known) throw new BotApiError(404, 'Not Found');
    const bytes = host.readMedia(known.media.sha256);
    if (!bytes) throw new BotApiError(404, 'Not Found');
    return c.body(new Uint8Array(bytes), 200, { 'content-type': 'application/octet-stream' });
  });
  app.on(['GET', 'POST'], '/api.telegram.org/*', call);
  app.notFound(c => refuse(c, new BotApiError(404, 'Not Found')));
  app.onError((error, c) =>
    refuse(
      c,
      error instanceof BotApiError ? error : new BotApiError(500, `Internal Server Error: ${error.message}`),
    ),
  );

  return {
    app,
    tokens: (action, account) => {
      const isDemoBot = account === null || account.startsWith(`${DEMO_BOT.id}:`);
      if (isDemoBot && action !== 'revoke_refresh') tokens.set(DEMO_TOKEN, true);
    },
    change: (name, change) => {
      const chat = findChat(name);
      if (!chat) return false;
      chats.set(String(chat.id), { ...chat, ...v.parse(ChangeSchema, change) });
      return true;
    },
    reset: () => {
      seedChats();
      tokens.clear();
      lastIds.clear();
      sent.clear();
      files.clear();
      photo = undefined;
    },
  };
}

function refuse(c: Context, { code, message, parameters }: BotApiError): Response {
  const retryAfter = parameters?.['retry_after'];
  if (typeof retryAfter === 'number') c.header('Retry-After', String(retryAfter));
  const body = { ok: false, error_code: code, description: message, ...(parameters ? { parameters } : {}) };
  return c.json(body, code as 400);
}

const RIGHTS = {
  photo: 'can_send_photos',
  video: 'can_send_videos',
  animation: 'can_send_other_messages',
  document: 'can_send_documents',
  audio: 'can_send_audios',
} as const;

const CONTENT: Readonly<Record<string, string>> = {
  can_send_messages: 'text messages',
  can_send_photos: 'photos',
  can_send_videos: 'videos',
  can_send_documents: 'documents',
  can_send_other_messages: 'animations',
};

const isBasicGroup = ({ type }: SandboxChat) => type === 'group';

const notMember = ({ type }: SandboxChat) => forbidden(`bot is not a member of the ${type} chat`);

function assertNotKicked({ status, type }: SandboxChat): void {
  if (status === 'kicked') throw forbidden(`bot was kicked from the ${type} chat`);
}

/**
 * Flood control. The limit `{retry_after}` refuses every message; `{per_minute: 20}` counts messages, including each item
 * of an album.
 */
function checkFlood(
  host: SandboxHost,
  sent: Map<number, number[]>,
  { id }: SandboxChat,
  messages: number,
): void {
  const limit = host.limit('telegram', `${DEMO_BOT.id}:${id}`);
  if (typeof limit?.['retry_after'] === 'number') throw tooMany(limit['retry_after']);
  const now = host.now();
  const recent = (sent.get(id) ?? []).filter(at => now - at < MINUTE_MS);
  const perMinute = limit?.['per_minute'];
  if (typeof perMinute === 'number' && recent.length + messages > perMinute) {
    throw tooMany(Math.ceil((MINUTE_MS - (now - (recent[0] ?? now))) / 1000));
  }
  sent.set(id, [...recent, ...Array.from({ length: messages }, () => now)]);
}

function tooMany(retryAfter: number): BotApiError {
  return new BotApiError(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}
