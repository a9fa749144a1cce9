import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** Each renewal replaces both tokens: the old refresh token then stops working. */
export const CredentialsSchema = v.object({ access_token: token, refresh_token: token });
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
