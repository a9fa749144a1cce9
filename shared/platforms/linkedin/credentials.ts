import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** The tokens of a LinkedIn member. Only apps that LinkedIn has enabled for it get a refresh token. */
export const CredentialsSchema = v.object({
  access_token: token,
  refresh_token: v.nullable(token),
  /** End of the refresh token, epoch milliseconds. A renewal does not extend it. */
  refresh_expires_at: v.nullable(v.number()),
});
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
