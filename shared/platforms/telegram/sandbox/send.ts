import type { Json, JsonObject } from '../../../model/json.ts';
import type { SandboxHost, SandboxMedia } from '../../contract/sandbox.ts';
import { chatOf, DEMO_BOT, type SandboxChat } from './chats.ts';
import { shownFile, type FileKind, type FileStore, type StoredFile } from './files.ts';
import { badRequest, type BotRequest } from './request.ts';
import { acceptText, entitiesOf } from './text.ts';

/** What send methods use. */
export interface SendContext {
  host: SandboxHost;
  files: FileStore;
  /** Returns the next message id of a chat. */
  nextId: (chat: SandboxChat) => number;
  /** Throws 429 if the chat's limit does not allow this many more messages. */
  checkFlood: (chat: SandboxChat, messages: number) => void;
}

interface Content {
  kind: string;
  text: string | null;
  messages: JsonObject[];
  files: StoredFile[];
}

export function sendMessage(context: SendContext, chat: SandboxChat, request: BotRequest): Json {
  const text = acceptText(request.values.get('text') ?? '', 'text', request.values.get('parse_mode'));
  context.checkFlood(chat, 1);
  const entities = entitiesOf(text);
  const message = { text, ...(entities.length > 0 ? { entities } : {}) };
  return post(context, chat, request, { kind: 'text', text, messages: [message], files: [] })[0] ?? null;
}

export async function sendFile(
  context: SendContext,
  chat: SandboxChat,
  request: BotRequest,
  kind: FileKind,
): Promise<Json> {
  const { values } = request;
  const caption = captionOf(values.get('caption'), values.get('parse_mode'));
  const isPlain = values.get('disable_content_type_detection') === 'true';
  const file = await context.files.take(kind, values.get(kind), request, { part: kind, isPlain });
  context.checkFlood(chat, 1);
  const shownCaption = file.kind === 'sticker' ? null : caption;
  const message = { ...shownFile(file, values), ...captionFields(shownCaption) };
  const shown = file.kind === 'photo' ? 'image' : file.kind;
  return (
    post(context, chat, request, {
      kind: shown,
      text: shownCaption,
      messages: [message],
      files: [file],
    })[0] ?? null
  );
}

export async function sendMediaGroup(
  context: SendContext,
  chat: SandboxChat,
  request: BotRequest,
): Promise<Json> {
  const items = albumItems(request.values.get('media'));
  const messages: JsonObject[] = [];
  const files: StoredFile[] = [];
  const group = String(13_000_000_000_000_000 + context.host.now());
  const captions: string[] = [];
  for (const [index, item] of items.entries()) {
    const { file, caption } = await albumItem(context, request, item, index);
    if (caption !== null) captions.push(caption);
    files.push(file);
    messages.push({ ...shownFile(file, valuesOf(item)), media_group_id: group, ...captionFields(caption) });
  }
  context.checkFlood(chat, items.length);
  return post(context, chat, request, { kind: 'album', text: captions[0] ?? null, messages, files });
}

/** Resolves an item of an album. The first invalid item fails the whole call. */
async function albumItem(context: SendContext, request: BotRequest, item: JsonObject, index: number) {
  const { type, media, caption, parse_mode } = item;
  try {
    if (typeof media !== 'string') throw badRequest('media not found');
    return {
      caption: captionOf(textOrNone(caption), textOrNone(parse_mode)),
      // A document of an album is always sent without content type detection.
      file: await context.files.take(type as FileKind, media, request, { part: '', isPlain: true }),
    };
  } catch (error) {
    const inner = error instanceof Error ? error.message.replace(/^Bad Request: /, '') : '';
    throw badRequest(`failed to send message #${index + 1} with the error message "${inner}"`);
  }
}

/** Returns the kinds of the items of an album. Throws for an album that is none. */
export const albumKinds = ({ values }: BotRequest): AlbumKind[] =>
  albumItems(values.get('media')).flatMap(({ type }) => GROUPABLE.find(kind => kind === type) ?? []);

const GROUPABLE = ['photo', 'video', 'document', 'audio'] as const;
type AlbumKind = (typeof GROUPABLE)[number];

function albumItems(media: string | undefined): JsonObject[] {
  const items = jsonArray(media);
  if (items.length === 0) throw badRequest('there are no messages to send');
  if (items.length > 10) throw badRequest('too many messages to send as an album');
  if (items.length < 2) throw badRequest('an album has at least 2 items');
  const types = items.map(({ type }) => textOrNone(type) ?? '');
  if (types.some(type => !GROUPABLE.some(kind => kind === type))) {
    throw badRequest("can't use the media of the specified type in the album");
  }
  for (const exclusive of ['document', 'audio']) {
    if (types.includes(exclusive) && types.some(type => type !== exclusive)) {
      throw badRequest(`${exclusive} can't be mixed with other media types`);
    }
  }
  if (new Set(items.map(({ show_caption_above_media }) => show_caption_above_media === true)).size > 1) {
    throw badRequest('parameter show_caption_above_media must be the same for all messages');
  }
  return items;
}

function jsonArray(text: string | undefined): JsonObject[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    if (Array.isArray(value)) return value as JsonObject[];
  } catch {
    // Handled below.
  }
  throw badRequest("can't parse media JSON object");
}

function valuesOf(item: JsonObject): BotRequest['values'] {
  return new Map(Object.entries(item).map(([name, value]) => [name, String(value as string | number)]));
}

function textOrNone(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function captionOf(raw: string | undefined, parseMode: string | undefined): string | null {
  const caption = raw === undefined ? '' : acceptText(raw, 'caption', parseMode);
  return caption === '' ? null : caption;
}

function captionFields(caption: string | null): JsonObject {
  if (caption === null) return {};
  const caption_entities = entitiesOf(caption);
  return { caption, ...(caption_entities.length > 0 ? { caption_entities } : {}) };
}

/** Numbers the messages and publishes the post on the sandbox's page. */
function post(context: SendContext, chat: SandboxChat, request: BotRequest, content: Content): JsonObject[] {
  const { host } = context;
  const author =
    chat.type === 'channel' ? { sender_chat: chatOf(chat) } : { from: { ...DEMO_BOT, is_bot: true } };
  const messages = content.messages.map(message => ({
    message_id: context.nextId(chat),
    date: Math.floor(host.now() / 1000),
    chat: chatOf(chat),
    ...author,
    ...message,
  }));
  const [first] = messages;
  if (!first) return [];
  host.publish({
    platform: 'telegram',
    account: `${DEMO_BOT.id}:${chat.id}`,
    platform_post_id: `${chat.id}:${first.message_id}`,
    platform_post_url: linkOf(chat, first.message_id),
    kind: content.kind,
    text: content.text,
    title: null,
    media: content.files.map(({ media }): SandboxMedia => media),
    comments: [],
    fields: {
      ...Object.fromEntries(request.values),
      files: received(content.files),
      message_ids: messages.map(m => m.message_id),
    },
    published_at: new Date(host.now()).toISOString(),
  });
  return messages;
}

function received(files: readonly StoredFile[]): JsonObject[] {
  return files.map(({ name, type, media }) => ({
    file_name: name,
    content_type: type,
    size: media.size,
    sha256: media.sha256,
  }));
}

function linkOf({ id, type, username }: SandboxChat, messageId: number): string | null {
  if (username !== undefined && type !== 'private') return `https://t.me/${username}/${messageId}`;
  return String(id).startsWith('-100') ? `https://t.me/c/${String(id).slice(4)}/${messageId}` : null;
}
