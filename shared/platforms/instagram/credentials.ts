import * as v from 'valibot';

const token = v.pipe(v.string(), v.nonEmpty());

/** Instagram Login: the token of a professional account, for graph.instagram.com. */
const InstagramLoginSchema = v.object({ login: v.literal('instagram'), access_token: token });

/** Facebook Login: the token of a Facebook user, for graph.facebook.com. Page tokens are secrets of the targets. */
const FacebookLoginSchema = v.object({ login: v.literal('facebook'), user_token: token });

export const CredentialsSchema = v.variant('login', [InstagramLoginSchema, FacebookLoginSchema]);
export type Credentials = v.InferOutput<typeof CredentialsSchema>;
