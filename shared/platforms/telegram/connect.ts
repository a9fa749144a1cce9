import * as v from 'valibot';
import type { FailureCode } from '../../model/failure.ts';
import { defineConnector, directWay, type ConnectContext, type Grant } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { telegramClient, type ChatFullInfo, type ChatMember, type SendRights } from './client.ts';
import { BOT_TOKEN, CredentialsSchema, type Credentials } from './credentials.ts';
import { ChatMigrated } from './errors.ts';

const InputSchema = v.object({
  chat_id: v.pipe(
    v.union([v.string(), v.pipe(v.number(), v.safeInteger())]),
    v.transform(chatId => String(chatId).trim()),
    v.regex(/^(-?\d{1,16}|@[A-Za-z]\w{3,31})$/, 'Must be a numeric chat id or an @username'),
  ),
  bot_token: v.pipe(v.string(), v.trim(), v.regex(BOT_TOKEN, 'Must be a bot token from @BotFather')),
});
type Input = v.InferOutput<typeof InputSchema>;

/** A bot that is a member of the chat and may post there. Its token does not expire and cannot be renewed. */
const botWay = directWay({
  id: 'bot',
  input: InputSchema,
  connect: async (input: Input, context) => {
    try {
      return await connect(input, context);
    } catch (error) {
      throw toUserError(error);
    }
  },
});

export const connector = defineConnector<Credentials>({
  credentials: CredentialsSchema,
  ways: [botWay],
  targets: 'none',
});

async function connect({ chat_id, bot_token }: Input, { http }: ConnectContext): Promise<Grant<Credentials>> {
  const client = telegramClient(http, bot_token);
  const bot = await client.getMe();
  const chat = await client.getChat(chat_id);
  const chatId = String(chat.id);
  const member = await client.getChatMember(chatId, bot.id);
  const missing = missingPermission(chat, member);
  if (missing !== null) throw rejected('PERMISSION_MISSING', missing);
  return {
    account: {
      platform_user_id: `${bot.id}:${chatId}`,
      display_name: chat.title ?? chat.first_name ?? chatId,
      username: chat.username ?? null,
      // The URL of the picture would contain the token.
      avatar_url: null,
    },
    credentials: { bot_token },
    scopes: [],
    attributes: { chat_id: chatId, chat_type: chat.type, bot_username: bot.username ?? '' },
    renew_at: null,
    expires_at: null,
  };
}

/** Tells the user which permission is missing; null when the bot may post. */
function missingPermission(chat: ChatFullInfo, member: ChatMember): string | null {
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

/** While connecting, a refused token or chat is an error in the user's input. */
function toUserError(error: unknown): unknown {
  if (error instanceof ChatMigrated) {
    return rejected(
      'CONTENT_REJECTED',
      `The group became a supergroup with a new id: connect ${error.chatId}`,
    );
  }
  if (!(error instanceof PlatformError) || error.kind !== 'token_expired') return error;
  return rejected(
    error.code,
    `Telegram answered: ${error.message}. Check the bot token and the chat id, and that the bot is a member of the chat`,
  );
}

function rejected(code: FailureCode, message: string): PlatformError {
  return new PlatformError({ kind: 'rejected', code, message });
}
