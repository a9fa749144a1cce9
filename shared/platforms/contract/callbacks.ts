import type { PlatformId } from '../../model/platform.ts';

/** A user as the platform names it in callbacks. */
export interface CallbackUser {
  /** Platforms of one login share a space; ids are unique within it. */
  space: string;
  id: string;
}

/**
 * How to read the callbacks in which a platform names a user who removed the app, or who wants the stored data deleted.
 */
export interface Callbacks {
  /** The space of the users in this platform's own callbacks. */
  space: string;
  /** The platforms whose apps of the stack may sign them. */
  app_platforms: readonly PlatformId[];
  /** Returns the user of an account. */
  userOf: (account: {
    way: string;
    platform_user_id: string;
    attributes: Readonly<Record<string, string>>;
  }) => CallbackUser;
  /** Returns the id of the user that a request names. Anyone can name one: check the signature too. Null: malformed. */
  userNamedBy: (signedRequest: string) => string | null;
  /** Returns when a request was issued, epoch milliseconds; null where it does not say. */
  issuedAt: (signedRequest: string) => number | null;
  /** True where the app with this secret was sent the request by the platform. */
  isSignedWith: (signedRequest: string, appSecret: string) => boolean;
}
