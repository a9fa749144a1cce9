import type { HttpClient } from '../../net/http.ts';
import type { AppCredentials, Target } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { graphVersion } from '../families/meta/app.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { graphClient, type GraphApi, type GraphClient } from '../families/meta/graph.ts';
import type { Credentials } from './credentials.ts';
import { INSTAGRAM_ERRORS, isHidden } from './errors.ts';

/** Token of the Page that an account is linked to. */
export const PAGE_TOKEN = 'page_token';

/** A token of an account, and the id that its host knows the account by. */
interface Access {
  client: GraphClient;
  id: string;
}

/**
 * The ways to reach one account. Meta's servers do not agree on which id and which token an object is visible with, so
 * the next way is tried where one does not see it.
 */
export interface Accesses {
  /** For requests to the account itself. */
  account: readonly Access[];
  /** For requests to containers and media. */
  objects: readonly Access[];
  /** True where another token of the same account may be accepted. */
  isForOther: (error: unknown) => boolean;
}

export interface AccessOptions {
  http: HttpClient;
  now: () => number;
  account: { platform_user_id: string };
  app: AppCredentials | null;
  credentials: Credentials;
  /** The account that posts go to, for Facebook Login. */
  target: Target | null;
}

/** Returns the API of one of the two hosts. The tokens of each are refused by the other. */
export function apiOf(login: Credentials['login'], app: AppCredentials | null): GraphApi {
  return {
    platform: 'Instagram',
    root: `https://graph.${login}.com/${graphVersion(app)}`,
    errors: INSTAGRAM_ERRORS,
  };
}

export function accessesOf({ http, now, account, app, credentials, target }: AccessOptions): Accesses {
  const api = apiOf(credentials.login, app);
  const clientFor = (token: string) =>
    graphClient({ http, now, api, token, appSecret: app?.client_secret ?? null });
  if (credentials.login === 'instagram') {
    const client = clientFor(credentials.access_token);
    const own = { client, id: account.platform_user_id };
    return { account: [own, { client, id: 'me' }], objects: [own], isForOther: isHidden };
  }
  const pageToken = target?.secrets?.[PAGE_TOKEN];
  if (target === null || typeof pageToken !== 'string') throw noTarget();
  const both = [pageToken, credentials.user_token].map(token => ({
    client: clientFor(token),
    id: target.id,
  }));
  return { account: both, objects: both, isForOther: isForOtherToken };
}

function noTarget(): PlatformError {
  return new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: 'Choose the Instagram account to post to: PATCH /integrations/{id} with default_target_id',
  });
}

/** Sends a request to the account, by the first access that it is visible to. */
export function onAccount<T>(
  { account, isForOther }: Accesses,
  request: (client: GraphClient, id: string) => Promise<T>,
): Promise<T> {
  return byAny(account, request, isForOther);
}

/** Sends a request to a container or a media, by the first access that it is visible to. */
export function onObject<T>(
  { objects, isForOther }: Accesses,
  request: (client: GraphClient) => Promise<T>,
): Promise<T> {
  return byAny(objects, request, isForOther);
}

/** Like `onAccount`, for the request that makes a post visible: Instagram may refuse it with code 10 and publish. */
export function publishingTo<T>(
  { account }: Accesses,
  request: (client: GraphClient, id: string) => Promise<T>,
): Promise<T> {
  return byAny(account, request, error => isHidden(error) || isGraphError(error, 190, 492));
}

/** Like `onObject`, for a request that must not be repeated unless the object was hidden. */
export function writingTo<T>(
  { objects }: Accesses,
  request: (client: GraphClient) => Promise<T>,
): Promise<T> {
  return byAny(objects, request, isHidden);
}

function isForOtherToken(error: unknown): boolean {
  return isHidden(error) || isGraphError(error, 10) || isGraphError(error, 190, 492);
}

/** Throws what the last access throws. */
async function byAny<T>(
  accesses: readonly Access[],
  request: (client: GraphClient, id: string) => Promise<T>,
  isForOther: (error: unknown) => boolean,
): Promise<T> {
  const [first, ...others] = accesses;
  if (!first) throw new Error('The account has no access');
  try {
    return await request(first.client, first.id);
  } catch (error) {
    if (others.length === 0 || !isForOther(error)) throw error;
    return byAny(others, request, isForOther);
  }
}
