import * as v from 'valibot';
import type { FailureCode } from '../../model/failure.ts';
import type { Credentials } from '../../model/profile.ts';
import type { ConnectContext, DirectConnector, Grant } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { telegramClient, type ChatFullInfo, type ChatMember, type SendRights } from './client.ts';
import { BOT_TOKEN } from './credentials.ts';
import { ChatMigrated } from './errors.ts';

const InputSchema = v.object({
  chat_id: v.pipe(
    v.union([v.string(), v.pipe(v.number(), v.safeInteger())]),
    v.transform(chatId => String(chatId).trim()),
    v.regex(/^(-?\d{1,16}|@[A-Za-z]\w{3,31})$/, 'Must be a numeric chat id or an @name'),
  ),
  bot_token: v.pipe(v.string(), v.trim(), v.regex(BOT_TOKEN, 'Must be a bot token as BotFather gives it')),
});
type Input = v.InferOutput<typeof InputSchema>;

/** A bot that is in the chat and may post there. There is no consent page, no expiry and nothing to renew. */
export const connector: DirectConnector = {
  kind: 'direct',
  input: InputSchema,
  rotates: false,
  connect: async (input, context) => {
    const parsed = v.safeParse(InputSchema, input);
    if (!parsed.success) throw refused('CONTENT_REJECTED', v.summarize(parsed.issues));
    try {
      return await connect(parsed.output, context);
    } catch (error) {
      throw forUser(error);
    }
  },
};

async function connect({ chat_id, bot_token }: Input, { http }: ConnectContext): Promise<Grant> {
  const client = telegramClient(http, bot_token);
  const bot = await client.getMe();
  const chat = await client.getChat(chat_id);
  const chatId = String(chat.id);
  const member = await client.getChatMember(chatId, bot.id);
  const lack = missingRight(chat, member);
  if (lack !== null) throw refused('PERMISSION_MISSING', lack);
  const credentials: Credentials = { access_token: null, refresh_token: null, secret: bot_token };
  return {
    account: {
      platform_user_id: `${bot.id}:${chatId}`,
      display_name: chat.title ?? chat.first_name ?? chatId,
      username: chat.username ?? null,
      // The only address of the picture holds the token.
      avatar_url: null,
    },
    credentials,
    scopes: [],
    attributes: { chat_id: chatId, chat_type: chat.type, bot_username: bot.username ?? '' },
    token_expires_at: null,
  };
}

/** In words for the user; null where the bot may post. */
function missingRight(chat: ChatFullInfo, member: ChatMember): string | null {
  const { status } = member;
  if (status === 'left' || status === 'kicked')
    return 'The bot is not in the chat: add it, then connect again';
  if (chat.type === 'private' || status === 'creator') return null;
  if (chat.type === 'channel') {
    if (status === 'administrator' && member.can_post_messages) return null;
    return 'Make the bot an administrator of the channel with the right to post messages';
  }
  if (status === 'administrator') return null;
  if (status === 'restricted' && !member.is_member)
    return 'The bot is not in the group: add it, then connect again';
  const rights = status === 'restricted' ? member : chat.permissions;
  if (rights && maySendAll(rights)) return null;
  return 'Allow the bot to send messages, photos, videos and documents in the group';
}

function maySendAll(rights: SendRights): boolean {
  return (
    rights.can_send_messages && rights.can_send_photos && rights.can_send_videos && rights.can_send_documents
  );
}

/** While connecting, a refused token or chat is the user's input, not a grant that died. */
function forUser(error: unknown): unknown {
  if (error instanceof ChatMigrated) {
    return refused('CONTENT_REJECTED', `The group has a new id: connect ${error.chatId}`);
  }
  if (!(error instanceof PlatformError) || error.kind !== 'token_expired') return error;
  return refused(
    error.code,
    `Telegram refused: ${error.message}. Check the bot token, the chat and that the bot is in it`,
  );
}

function refused(code: FailureCode, message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code, message });
}
