import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** A session of a Bluesky account, and the app password that opens a new one when the refresh token is lost. */
export const CredentialsSchema = v.object({ access_token: token, refresh_token: token, app_password: token });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
