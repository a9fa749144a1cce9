import * as v from 'valibot';
import type { JsonObject } from '../../../model/json.ts';

const STATUSES = ['administrator', 'member', 'restricted', 'left', 'kicked'] as const;
const RIGHTS = [
  'can_post_messages',
  'can_send_messages',
  'can_send_photos',
  'can_send_videos',
  'can_send_documents',
  'can_send_other_messages',
] as const;

/** A chat and the membership of the demo bot in it. */
export const ChatSchema = v.object({
  id: v.number(),
  type: v.picklist(['private', 'group', 'supergroup', 'channel']),
  title: v.exactOptional(v.string()),
  first_name: v.exactOptional(v.string()),
  username: v.exactOptional(v.string()),
  status: v.picklist(STATUSES),
  /** A right that the bot lacks. */
  lacks: v.exactOptional(v.nullable(v.picklist(RIGHTS))),
  migrated_to: v.exactOptional(v.nullable(v.number())),
  deleted: v.exactOptional(v.boolean()),
});
export type SandboxChat = v.InferOutput<typeof ChatSchema>;

/** Changes of a chat by `POST /_control/accounts`. */
export const ChangeSchema = v.strictObject({
  status: v.exactOptional(v.picklist(STATUSES)),
  lacks: v.exactOptional(v.nullable(v.picklist(RIGHTS))),
  migrated_to: v.exactOptional(v.nullable(v.number())),
  deleted: v.exactOptional(v.boolean()),
});

export const DEMO_BOT = { id: 7000000001, first_name: 'Demo Bot', username: 'sandbox_demo_bot' };
export const DEMO_TOKEN = `${DEMO_BOT.id}:AAsandboxSandboxSandboxSandboxSandbox`;
export const DEMO_CHAT = '@sandbox_demo';

export const CHATS: readonly SandboxChat[] = [
  {
    id: -1001000000001,
    type: 'channel',
    title: 'Demo channel',
    username: 'sandbox_demo',
    status: 'administrator',
  },
  { id: -1001001001002, type: 'channel', title: 'Private channel', status: 'administrator' },
  {
    id: -1001000000003,
    type: 'supergroup',
    title: 'Public group',
    username: 'sandbox_group',
    status: 'member',
  },
  { id: -4000000004, type: 'group', title: 'Basic group', status: 'administrator' },
  { id: -4000000005, type: 'group', title: 'Upgraded group', status: 'member', migrated_to: -1001000000003 },
  { id: -1001000000006, type: 'channel', title: 'Kicked out', username: 'sandbox_kicked', status: 'kicked' },
  { id: -1001000000007, type: 'channel', title: 'Not a member', username: 'sandbox_left', status: 'left' },
  {
    id: -1001000000008,
    type: 'channel',
    title: 'No right to post',
    username: 'sandbox_norights',
    status: 'administrator',
    lacks: 'can_post_messages',
  },
  { id: -4000000009, type: 'group', title: 'Deleted group', status: 'member', deleted: true },
  { id: 4000000010, type: 'private', first_name: 'Ann', username: 'sandbox_ann', status: 'member' },
  {
    id: -1001000000011,
    type: 'supergroup',
    title: 'Restricted bot',
    username: 'sandbox_restricted',
    status: 'restricted',
    lacks: 'can_send_photos',
  },
  {
    id: -1001000000012,
    type: 'supergroup',
    title: 'Silent group',
    username: 'sandbox_silent',
    status: 'member',
    lacks: 'can_send_messages',
  },
];

const SEND_RIGHTS = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
  'can_send_polls',
  'can_send_other_messages',
  'can_add_web_page_previews',
  'can_edit_tag',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
  'can_react_to_messages',
];

const ADMINISTRATOR_RIGHTS = [
  'can_manage_chat',
  'can_delete_messages',
  'can_manage_video_chats',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
];

function rights(names: readonly string[], lacking?: string | null): Record<string, boolean> {
  return Object.fromEntries(names.map(name => [name, name !== lacking]));
}

/** `Chat` of a message. */
export function chatOf({ id, type, title, first_name, username }: SandboxChat): JsonObject {
  return {
    id,
    type,
    ...(title === undefined ? {} : { title }),
    ...(first_name === undefined ? {} : { first_name }),
    ...(username === undefined ? {} : { username }),
  };
}

/** `ChatFullInfo`. `photo` holds the file ids of the chat's photo. */
export function chatFullInfoOf(chat: SandboxChat, photo: JsonObject | null): JsonObject {
  const accepted = ['unlimited_gifts', 'limited_gifts', 'unique_gifts', 'premium_subscription'];
  return {
    ...chatOf(chat),
    accent_color_id: 0,
    max_reaction_count: 11,
    ...(photo && { photo }),
    accepted_gift_types: { ...rights(accepted), gifts_from_channels: true },
    ...(chat.type === 'group' || chat.type === 'supergroup'
      ? { permissions: rights(SEND_RIGHTS, chat.status === 'member' ? chat.lacks : undefined) }
      : {}),
  };
}

/** `ChatMember` of the bot. */
export function chatMemberOf(chat: SandboxChat, user: JsonObject): JsonObject {
  const { status } = chat;
  if (status === 'kicked') return { status, user, until_date: 0 };
  if (status === 'restricted') {
    return { status, user, is_member: true, until_date: 0, ...rights(SEND_RIGHTS, chat.lacks) };
  }
  if (status !== 'administrator') return { status, user };
  const posting =
    chat.type === 'channel' ? rights(['can_post_messages', 'can_edit_messages'], chat.lacks) : {};
  return {
    status,
    user,
    can_be_edited: false,
    is_anonymous: false,
    ...rights(ADMINISTRATOR_RIGHTS),
    ...posting,
  };
}
