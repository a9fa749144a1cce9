import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** The tokens of a Google account. A refresh token can be used any number of times. */
export const GoogleCredentialsSchema = v.object({ access_token: token, refresh_token: token });
export type GoogleCredentials = v.InferOutput<typeof GoogleCredentialsSchema>;
