import type { FailureCode } from '../../model/failure.ts';
import { PlatformError, type PlatformErrorKind } from '../contract/error.ts';

/** An answer of the Bot API that is no success. */
export interface Refusal {
  status: number;
  description: string;
  retryAfterS?: number | undefined;
  migrateTo?: number | undefined;
  /** False where something between us and the Bot API answered: it may have taken the request. */
  answered: boolean;
}

/** The group became a supergroup: nothing was sent, and the same request works with the new id. */
export class ChatMigrated extends Error {
  override readonly name = 'ChatMigrated';
  readonly chatId: string;
  constructor(chatId: number) {
    super('The group was upgraded to a supergroup');
    this.chatId = String(chatId);
  }
}

interface Verdict {
  kind: PlatformErrorKind;
  code: FailureCode;
}

const RECONNECT: Verdict = { kind: 'token_expired', code: 'TOKEN_EXPIRED' };
const NO_RIGHT: Verdict = { kind: 'token_expired', code: 'PERMISSION_MISSING' };
const BAD_MEDIA: Verdict = { kind: 'rejected', code: 'MEDIA_REJECTED' };
const BAD_CONTENT: Verdict = { kind: 'rejected', code: 'CONTENT_REJECTED' };
const OUR_FAULT: Verdict = { kind: 'rejected', code: 'INTERNAL' };
const UNAVAILABLE: Verdict = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' };

/**
 * Sub-cases that only the words tell apart, first match wins. The words come from the Bot API server's sources
 * (tdlib/telegram-bot-api, Client.cpp); their case varies.
 */
const BY_WORDS: readonly { status: number; words: RegExp; verdict: Verdict }[] = [
  { status: 404, words: /method not found/, verdict: OUR_FAULT },
  { status: 400, words: /not enough rights|need administrator rights|no rights to send/, verdict: NO_RIGHT },
  { status: 400, words: /chat_(write|send_\w+)_forbidden|chat_admin_required/, verdict: NO_RIGHT },
  { status: 400, words: /chat not found|chat_id is empty|peer_id_invalid/, verdict: RECONNECT },
  {
    status: 400,
    words: /photo_|image_process_failed|photo has unsupported|too big for a photo/,
    verdict: BAD_MEDIA,
  },
  { status: 400, words: /file (is too big|of size|must be non-empty)|wrong file|video_/, verdict: BAD_MEDIA },
  { status: 400, words: /group send failed/, verdict: UNAVAILABLE },
  { status: 400, words: /failed to send message #\d+/, verdict: BAD_MEDIA },
];

const BY_STATUS: Readonly<Record<number, Verdict>> = {
  400: BAD_CONTENT,
  401: RECONNECT,
  403: RECONNECT,
  404: RECONNECT,
  409: UNAVAILABLE,
  413: BAD_MEDIA,
  421: OUR_FAULT,
};

/** What an answer means for the post. The numbers decide first, the words only between sub-cases. */
export function classify(refusal: Refusal): PlatformError | ChatMigrated {
  const { status, description, retryAfterS, migrateTo } = refusal;
  if (migrateTo !== undefined) return new ChatMigrated(migrateTo);
  if (status === 429) {
    return new PlatformError({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: description,
      // A second more: too early lengthens the ban.
      retryAfterMs: retryAfterS === undefined ? undefined : (retryAfterS + 1) * 1000,
    });
  }
  const { kind, code } = verdictOn(status, description);
  return new PlatformError({
    kind,
    code,
    message: description,
    outcomeUnknown: !refusal.answered && kind === 'transient',
  });
}

function verdictOn(status: number, description: string): Verdict {
  const words = description.toLowerCase();
  const known = BY_WORDS.find(row => row.status === status && row.words.test(words));
  return known?.verdict ?? BY_STATUS[status] ?? (status >= 400 && status < 500 ? BAD_CONTENT : UNAVAILABLE);
}
