import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { AccountIdentity } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import type { AppKind } from './app.ts';
import { read, type Caller } from './call.ts';

const Id = v.pipe(v.string(), v.regex(/^[\w-]+$/));
const optionalText = v.fallback(v.nullish(v.string(), null), null);

const UserInfoSchema = v.object({
  sub: Id,
  name: optionalText,
  given_name: optionalText,
  family_name: optionalText,
  /** A signed address that expires; an unusable value must not fail the connect. */
  picture: optionalText,
});

const MeSchema = v.object({
  id: Id,
  localizedFirstName: optionalText,
  localizedLastName: optionalText,
  vanityName: optionalText,
});

const WHAT = 'Reading the member';
/** LinkedIn's replicas lag: a token may be refused in the first seconds of its life. */
const SECOND_TRY_MS = 5000;

/** Reads the member, again after a moment when the new token is refused. Throws PlatformError. */
export async function readNewMember(
  caller: Caller,
  kind: AppKind,
  delayMs = SECOND_TRY_MS,
): Promise<AccountIdentity> {
  try {
    return await readMember(caller, kind);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
    await sleep(delayMs);
    return readMember(caller, kind);
  }
}

/** Each kind of app has its own call for the member's identity. */
function readMember(caller: Caller, kind: AppKind): Promise<AccountIdentity> {
  return kind === 'community' ? readMe(caller) : readUserInfo(caller);
}

async function readUserInfo(caller: Caller): Promise<AccountIdentity> {
  const call = { what: WHAT, purpose: 'read', method: 'GET', path: '/v2/userinfo' } as const;
  const { sub, name, given_name, family_name, picture } = await read(caller, call, UserInfoSchema);
  return {
    platform_user_id: sub,
    display_name: name ?? fullName(given_name, family_name),
    username: null,
    avatar_url: picture,
  };
}

async function readMe(caller: Caller): Promise<AccountIdentity> {
  const call = { what: WHAT, purpose: 'read', method: 'GET', path: '/v2/me' } as const;
  const { id, localizedFirstName, localizedLastName, vanityName } = await read(caller, call, MeSchema);
  return {
    platform_user_id: id,
    display_name: fullName(localizedFirstName, localizedLastName),
    username: vanityName,
    // The profile picture is a URN, not an address.
    avatar_url: null,
  };
}

const fullName = (first: string | null, last: string | null) =>
  [first, last].filter(Boolean).join(' ') || 'LinkedIn member';
