import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** A long-lived token of the user who connected the account. It lists Pages; posts are published with Page tokens. */
export const CredentialsSchema = v.object({ user_token: token });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;

/** What acts for a Page. Without an expiry date, because it comes from a long-lived user token. */
export const PageSecretsSchema = v.object({ access_token: token });
