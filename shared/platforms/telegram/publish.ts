import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import { PlatformError } from '../contract/error.ts';
import {
  definePublisher,
  type PublishJob,
  type Step,
  type StepContext,
  type StepResult,
} from '../contract/publisher.ts';
import { asAlbum, loadAttachment, type Attachment, type AttachmentKind } from './attachment.ts';
import {
  telegramClient,
  UPLOAD_TIMEOUT_MS,
  type Chat,
  type Message,
  type SendFileMethod,
  type TelegramClient,
  type Upload,
} from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { ChatMigrated } from './errors.ts';

const StateSchema = v.object({
  /** Changes when a group becomes a supergroup. */
  chat_id: v.string(),
  /** All messages of the post; an album has several. */
  message_ids: v.array(v.number()),
  /** Telegram refused an image as a photo or an animation: the images are sent as files. */
  as_files: v.optional(v.boolean(), false),
});
type State = v.InferOutput<typeof StateSchema>;

const METHODS: Readonly<Record<AttachmentKind, SendFileMethod>> = {
  photo: 'sendPhoto',
  video: 'sendVideo',
  animation: 'sendAnimation',
  document: 'sendDocument',
};

/** An upload starts only with this much time left. The outcome of one that is cut off cannot be found out. */
const MIN_UPLOAD_MS = 15_000;
/** Reserved for storing the result. */
export const RESERVE_MS = 5_000;
const MAX_FETCH_MS = 60_000;

type Context = StepContext<Credentials>;

/** Loads the files before the post is due, so that one that does not fit fails early. */
const inspect: Step<State, Credentials> = {
  name: 'inspect',
  kind: 'prepare',
  run: async (context, state) => {
    await load(context, state, () => undefined);
    return { type: 'next', state };
  },
};

/** Sends the whole post in one request, so that no part of it can be live alone. */
const send: Step<State, Credentials> = {
  name: 'send',
  kind: 'commit',
  run: sendPost,
  // A bot cannot read a chat, and its own messages do not appear among its updates.
  reconcile: () => Promise.resolve({ type: 'unknown' }),
};

async function sendPost(context: Context, state: State): Promise<StepResult<State>> {
  const { job, credentials, http, remainingMs } = context;
  const client = telegramClient(http, credentials.bot_token);
  const attachments: Attachment[] = [];
  await load(context, state, attachment => void attachments.push(attachment));
  const timeoutMs = Math.min(UPLOAD_TIMEOUT_MS, remainingMs() - RESERVE_MS);
  const request: SendRequest = { client, text: job.text, attachments: asAlbum(attachments), timeoutMs };
  try {
    const messages = await followingMigration(context, state.chat_id, chatId => sendTo(request, chatId));
    return { type: 'published', post: postOf(messages, context.now()), state: stateOf(messages, state) };
  } catch (error) {
    if (state.as_files || !isAcceptedAsFile(error, attachments)) throw error;
    return { type: 'back', step: inspect.name, state: { ...state, as_files: true } };
  }
}

/** True where Telegram refused an image in a way that it does not refuse files. Nothing was sent then. */
function isAcceptedAsFile(error: unknown, attachments: readonly Attachment[]): boolean {
  if (!(error instanceof PlatformError)) return false;
  const has = (kind: AttachmentKind) => attachments.some(attachment => attachment.kind === kind);
  // A group may allow files but no animations.
  const forbidsAnimations = error.code === 'PERMISSION_MISSING' && /animations/i.test(error.message);
  return (error.code === 'MEDIA_REJECTED' && has('photo')) || (forbidsAnimations && has('animation'));
}

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: job => ({ chat_id: chatIdOf(job), message_ids: [], as_files: false }),
  steps: job => (job.media_urls.length === 0 ? [send] : [inspect, send]),
});

function chatIdOf({ account }: PublishJob): string {
  return account.attributes['chat_id'] ?? account.platform_user_id.split(':').at(-1) ?? '';
}

/** Loads the files one by one. Throws PlatformError when too little time for an upload would be left. */
async function load(
  context: Context,
  { as_files: asFile }: State,
  take: (attachment: Attachment) => void,
): Promise<void> {
  const { job, remainingMs } = context;
  for (const url of job.media_urls) {
    const timeoutMs = Math.min(MAX_FETCH_MS, remainingMs() - MIN_UPLOAD_MS - RESERVE_MS);
    if (timeoutMs <= 0) throw tooSlow();
    take(await loadAttachment(context, url, { timeoutMs, asFile }));
  }
}

function tooSlow(): PlatformError {
  const message = 'The media URLs respond too slowly';
  return new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message });
}

interface SendRequest {
  client: TelegramClient;
  text: string;
  attachments: readonly Attachment[];
  timeoutMs: number;
}

async function sendTo(request: SendRequest, chatId: string): Promise<readonly Message[]> {
  const { client, text, attachments, timeoutMs } = request;
  const [first, ...others] = attachments;
  if (!first) return [await client.sendMessage({ chat_id: chatId, text })];
  if (others.length > 0) return client.sendMediaGroup(...album(chatId, text, attachments, timeoutMs));
  const fields = { chat_id: chatId, ...caption(text), ...first.facts };
  return [
    await client.sendFile(METHODS[first.kind], fields, { files: { [first.kind]: first.file }, timeoutMs }),
  ];
}

/** Returns the fields of an album. Telegram shows the caption of its first item only. */
function album(
  chatId: string,
  text: string,
  attachments: readonly Attachment[],
  timeoutMs: number,
): [{ chat_id: string; media: string }, Upload] {
  const media = attachments.map(({ kind }, index) => ({
    type: kind,
    media: `attach://file${index}`,
    ...(index === 0 ? caption(text) : {}),
  }));
  const files = Object.fromEntries(attachments.map(({ file }, index) => [`file${index}`, file]));
  return [
    { chat_id: chatId, media: JSON.stringify(media) },
    { files, timeoutMs },
  ];
}

function caption(text: string): { caption?: string } {
  return text === '' ? {} : { caption: text };
}

/**
 * Repeats a request at the new id of a chat that migrated: nothing was sent to the old one. Later posts start with the new id,
 * since the old one may be forgotten.
 */
async function followingMigration<T>(
  { saveAttributes }: Context,
  chatId: string,
  request: (chatId: string) => Promise<T>,
): Promise<T> {
  try {
    return await request(chatId);
  } catch (error) {
    if (!(error instanceof ChatMigrated)) throw error;
    await saveAttributes({ chat_id: error.chatId });
    return request(error.chatId);
  }
}

function stateOf(messages: readonly Message[], state: State): State {
  return {
    ...state,
    chat_id: String(messages[0]?.chat.id ?? state.chat_id),
    message_ids: messages.map(({ message_id }) => message_id),
  };
}

/** The first message represents the post. Telegram's own time has no fractions and would make a post look early. */
function postOf([first]: readonly Message[], at: number): PublishedPost {
  if (!first) throw new Error('Telegram returned no message');
  return {
    platform_post_id: `${first.chat.id}:${first.message_id}`,
    platform_post_url: linkTo(first.chat, first.message_id),
    published_at: at,
  };
}

/** Returns the link of a message; null for basic groups and private chats. Links of private channels open for members. */
export function linkTo({ id, type, username }: Chat, messageId: number): string | null {
  if (type !== 'channel' && type !== 'supergroup') return null;
  if (username !== undefined) return `https://t.me/${username}/${messageId}`;
  const internal = /^-100(\d+)$/.exec(String(id))?.[1];
  return internal === undefined ? null : `https://t.me/c/${internal}/${messageId}`;
}
