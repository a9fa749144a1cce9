import * as v from 'valibot';

/** The long-lived token of a Threads user. It is its own refresh token. */
export const CredentialsSchema = v.object({ access_token: v.pipe(v.string(), v.nonEmpty()) });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
