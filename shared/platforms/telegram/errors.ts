import type { FailureCode } from '../../model/failure.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** An error response of the Bot API. */
export interface ErrorResponse {
  status: number;
  description: string;
  retryAfterS?: number | undefined;
  migrateTo?: number | undefined;
  /** False when a proxy answered instead: the Bot API may have processed the request. */
  isFromBotApi: boolean;
}

/** The group became a supergroup: nothing was sent; the same request succeeds with the new id. */
export class ChatMigrated extends Error {
  override readonly name = 'ChatMigrated';
  readonly chatId: string;
  constructor(chatId: number) {
    super('The group was upgraded to a supergroup');
    this.chatId = String(chatId);
  }
}

interface ErrorClass {
  kind: PlatformErrorKind;
  code: FailureCode;
  retries?: number;
}

const RECONNECT: ErrorClass = { kind: 'token_expired', code: 'TOKEN_EXPIRED' };
const NO_PERMISSION: ErrorClass = { kind: 'token_expired', code: 'PERMISSION_MISSING' };
const BAD_MEDIA: ErrorClass = { kind: 'rejected', code: 'MEDIA_REJECTED' };
const BAD_CONTENT: ErrorClass = { kind: 'rejected', code: 'CONTENT_REJECTED' };
const INTERNAL: ErrorClass = { kind: 'rejected', code: 'INTERNAL' };
const UNAVAILABLE: ErrorClass = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' };
/** An album that fails without a reason usually fails again. */
const ALBUM_FAILED: ErrorClass = { ...UNAVAILABLE, retries: 1 };

/**
 * Cases that only the description tells apart; the first match decides. The texts are from the Bot API server's sources
 * (tdlib/telegram-bot-api, Client.cpp); their case varies.
 */
const BY_DESCRIPTION: readonly { status: number; text: RegExp; errorClass: ErrorClass }[] = [
  { status: 404, text: /method not found/, errorClass: INTERNAL },
  {
    status: 400,
    text: /not enough rights|need administrator rights|no rights to send|no write access/,
    errorClass: NO_PERMISSION,
  },
  { status: 400, text: /chat_(write|send_\w+)_forbidden|chat_admin_required/, errorClass: NO_PERMISSION },
  { status: 400, text: /chat not found|chat_id is empty|peer_id_invalid/, errorClass: RECONNECT },
  {
    status: 400,
    text: /photo_|image_process_failed|photo has unsupported|too big for a photo/,
    errorClass: BAD_MEDIA,
  },
  {
    status: 400,
    text: /file (is too big|of size|must be non-empty)|wrong file|video_/,
    errorClass: BAD_MEDIA,
  },
  { status: 400, text: /group send failed/, errorClass: ALBUM_FAILED },
  { status: 400, text: /text is|caption is|can't parse entities/, errorClass: BAD_CONTENT },
  { status: 400, text: /failed to send message #\d+/, errorClass: BAD_MEDIA },
];

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  400: BAD_CONTENT,
  401: RECONNECT,
  403: RECONNECT,
  404: RECONNECT,
  409: UNAVAILABLE,
  413: BAD_MEDIA,
  421: RECONNECT,
};

/** Classifies an error response: by status, and by description where one status has several meanings. */
export function classify(errorResponse: ErrorResponse): PlatformError | ChatMigrated {
  const { status, description, retryAfterS, migrateTo } = errorResponse;
  if (migrateTo !== undefined) return new ChatMigrated(migrateTo);
  if (status === 429) {
    return new PlatformError({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: description,
      // One second more: a retry that is too early extends the flood wait.
      retryAfterMs: retryAfterS === undefined ? undefined : (retryAfterS + 1) * 1000,
    });
  }
  const { kind, code, retries } = classOf(status, description);
  return new PlatformError({
    kind,
    code,
    retries,
    message: description,
    // The Bot API or a proxy may send a 5xx after the message was stored.
    outcomeUnknown: kind === 'transient' && (!errorResponse.isFromBotApi || status >= 500),
  });
}

function classOf(status: number, description: string): ErrorClass {
  const text = description.toLowerCase();
  const row = BY_DESCRIPTION.find(each => each.status === status && each.text.test(text));
  return row?.errorClass ?? BY_STATUS[status] ?? (status >= 400 && status < 500 ? BAD_CONTENT : UNAVAILABLE);
}
