import * as v from 'valibot';

/** The format of a bot token: bot id, colon, secret. */
export const BOT_TOKEN = /^\d{3,16}:[A-Za-z0-9_-]{30,50}$/;

/** The token of the bot that posts. It does not expire. */
export const CredentialsSchema = v.object({ bot_token: v.pipe(v.string(), v.regex(BOT_TOKEN)) });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
