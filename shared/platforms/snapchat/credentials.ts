import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** The tokens of a Snapchat account. A renewal may replace both. */
export const CredentialsSchema = v.object({ access_token: token, refresh_token: token });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
