import { DAY } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { LookupAccount, LookupContext } from '../contract/lookups.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { createCache } from '../kit/cache.ts';
import type { Caller } from './call.ts';
import { YoutubeError } from './errors.ts';
import {
  createPlaylist,
  listCategories,
  listLanguages,
  listPlaylists,
  listRegions,
  type Category,
  type Named,
} from './lookup-calls.ts';

/* What the lookups of YouTube ask for. All functions throw PlatformError. */

/** What is the same for every channel. */
const categoriesCache = createCache<Category[]>(DAY);
const namesCache = createCache<Named[]>(DAY);

type Account = LookupAccount<GoogleCredentials>;

export async function playlists(account: Account, _input: object, context: LookupContext) {
  const found = await listPlaylists(callerOf(account, context));
  return { playlists: found, total: found.length };
}

export async function newPlaylist(
  account: Account,
  input: Parameters<typeof createPlaylist>[1],
  context: LookupContext,
) {
  return { playlist: await createPlaylist(callerOf(account, context), input), success: true as const };
}

export async function categories(account: Account, { region }: { region: string }, context: LookupContext) {
  const caller = callerOf(account, context);
  const found = await categoriesCache.get(region, context.now(), () => categoriesIn(caller, region));
  return { categories: found, total: found.length };
}

export async function languages(account: Account, { hl }: { hl: string }, context: LookupContext) {
  const found = await namesCache.get(`languages ${hl}`, context.now(), () =>
    listLanguages(callerOf(account, context), hl),
  );
  return { languages: found, total: found.length };
}

export async function regions(account: Account, { hl }: { hl: string }, context: LookupContext) {
  const found = await regionsIn(callerOf(account, context), hl, context.now());
  return { regions: found, total: found.length };
}

const regionsIn = (caller: Caller, language: string, now: number): Promise<Named[]> =>
  namesCache.get(`regions ${language}`, now, () => listRegions(caller, language));

/** YouTube answers an unknown region in three ways, one of them an empty list. */
async function categoriesIn(caller: Caller, code: string): Promise<Category[]> {
  const known = await regionsIn(caller, 'en', caller.now());
  if (!known.some(each => each.code === code)) throw unknownRegion(code);
  try {
    const found = await listCategories(caller, code);
    if (found.length > 0) return found;
  } catch (error) {
    if (!(error instanceof YoutubeError) || !UNKNOWN_REGION.some(reason => error.has(reason))) throw error;
  }
  throw unknownRegion(code);
}

const UNKNOWN_REGION = ['videoCategoryNotFound', 'invalidRegionCode'];

const unknownRegion = (code: string) =>
  new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message: `YouTube knows no region ${code}: see GET /integrations/youtube/regions`,
  });

const callerOf = ({ credentials }: Account, { http, now, quota }: LookupContext): Caller => ({
  http,
  token: credentials.access_token,
  now,
  quota,
});
