import type { Credentials } from '../../model/profile.ts';
import { PlatformError } from '../contract/error.ts';

/** What BotFather gives out: bot id, colon, secret. */
export const BOT_TOKEN = /^\d{3,16}:[A-Za-z0-9_-]{30,50}$/;

/** The bot token. Throws PlatformError `token_expired` where there is none of the right form. */
export function secretOf({ secret }: Credentials): string {
  if (secret !== null && BOT_TOKEN.test(secret)) return secret;
  throw new PlatformError({
    kind: 'token_expired',
    code: 'TOKEN_EXPIRED',
    message: 'The connection has no bot token',
  });
}
