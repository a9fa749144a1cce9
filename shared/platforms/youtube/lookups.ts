import * as v from 'valibot';
import { DAY } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import {
  defineLookup,
  type LookupAccount,
  type LookupContext,
  type PlatformLookups,
} from '../contract/lookups.ts';
import { GoogleCredentialsSchema, type GoogleCredentials } from '../families/google/credentials.ts';
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

/** What is the same for every channel. */
const categoriesCache = createCache<Category[]>(DAY);
const namesCache = createCache<Named[]>(DAY);

const total = v.number();
const NamedRecord = v.object({ code: v.string(), name: v.string() });
const playlist = { playlist_id: v.string(), title: v.string(), description: v.string(), privacy: v.string() };

/** A language of the interface of YouTube. */
const hl = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}$/, 'Must be a language such as en or pt-BR'),
    v.description('Language of the names'),
  ),
  'en',
);

const region = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[A-Za-z]{2}$/, 'Must be an ISO 3166-1 alpha-2 code such as US'),
    v.toUpperCase(),
    v.description('ISO 3166-1 code of the region'),
  ),
  'US',
);

const MARKUP = /[<>]/;
const plainText = (limit: number) =>
  v.pipe(
    v.string('Must be a string'),
    v.trim(),
    v.maxLength(limit, `Must have at most ${limit} characters`),
    v.check(text => !MARKUP.test(text), 'Must not contain < or >: YouTube rejects them'),
  );

export const lookups: PlatformLookups = [
  defineLookup(GoogleCredentialsSchema, {
    name: 'playlists',
    operation_id: 'listYoutubePlaylists',
    method: 'GET',
    summary: 'List the playlists of a YouTube channel',
    description: '`playlist_id` is used as `youtube_playlist_id` in posts.',
    input: {},
    answer: v.object({
      playlists: v.array(
        v.object({ ...playlist, item_count: v.number(), thumbnail: v.nullable(v.string()) }),
      ),
      total,
    }),
    run: async (account, _input, context) => {
      const playlists = await listPlaylists(callerOf(account, context));
      return { playlists, total: playlists.length };
    },
  }),
  defineLookup(GoogleCredentialsSchema, {
    name: 'playlists',
    operation_id: 'createYoutubePlaylist',
    method: 'POST',
    summary: 'Create a playlist on a YouTube channel',
    description: 'Costs 50 quota units.',
    // Ignoring one of these would create a public playlist.
    refuses_unknown: /privacy|private|visib|listed/i,
    input: {
      title: v.pipe(plainText(150), v.nonEmpty('Must not be empty')),
      description: v.optional(plainText(5000), ''),
      privacy: v.optional(
        v.picklist(['public', 'unlisted', 'private'], 'Must be one of public, unlisted, private'),
        'public',
      ),
    },
    answer: v.object({ playlist: v.object(playlist), success: v.literal(true) }),
    run: async (account, input, context) => {
      const created = await createPlaylist(callerOf(account, context), input);
      return { playlist: created, success: true as const };
    },
  }),
  defineLookup(GoogleCredentialsSchema, {
    name: 'categories',
    operation_id: 'listYoutubeCategories',
    method: 'GET',
    any_profile: true,
    summary: 'List the categories that a YouTube video can have',
    description: 'Which ones can be assigned differs by region.',
    input: { region },
    answer: v.object({
      categories: v.array(v.object({ category_id: v.string(), title: v.string() })),
      total,
    }),
    run: async (account, { region: code }, context) => {
      const caller = callerOf(account, context);
      const categories = await categoriesCache.get(code, context.now(), () => categoriesIn(caller, code));
      return { categories, total: categories.length };
    },
  }),
  defineLookup(GoogleCredentialsSchema, {
    name: 'languages',
    operation_id: 'listYoutubeLanguages',
    method: 'GET',
    summary: 'List the languages of YouTube',
    description: '`code` is used as `youtube_default_language` and `youtube_caption_language` in posts.',
    input: { hl },
    answer: v.object({ languages: v.array(NamedRecord), total }),
    run: async (account, { hl: language }, context) => {
      const languages = await namesCache.get(`languages ${language}`, context.now(), () =>
        listLanguages(callerOf(account, context), language),
      );
      return { languages, total: languages.length };
    },
  }),
  defineLookup(GoogleCredentialsSchema, {
    name: 'regions',
    operation_id: 'listYoutubeRegions',
    method: 'GET',
    summary: 'List the regions of YouTube',
    description: '`code` is used in `youtube_allowed_countries` and `youtube_blocked_countries` in posts.',
    input: { hl },
    answer: v.object({ regions: v.array(NamedRecord), total }),
    run: async (account, { hl: language }, context) => {
      const regions = await regionsIn(callerOf(account, context), language, context.now());
      return { regions, total: regions.length };
    },
  }),
];

const regionsIn = (caller: Caller, language: string, now: number): Promise<Named[]> =>
  namesCache.get(`regions ${language}`, now, () => listRegions(caller, language));

/** YouTube answers an unknown region in three ways, one of them an empty list. */
async function categoriesIn(caller: Caller, code: string): Promise<Category[]> {
  const regions = await regionsIn(caller, 'en', caller.now());
  if (!regions.some(each => each.code === code)) throw unknownRegion(code);
  try {
    const categories = await listCategories(caller, code);
    if (categories.length > 0) return categories;
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

const callerOf = (
  { credentials }: LookupAccount<GoogleCredentials>,
  { http, now, quota }: LookupContext,
): Caller => ({ http, token: credentials.access_token, now, quota });
