import * as v from 'valibot';
import { defineLookup, type PlatformLookups } from '../contract/lookups.ts';
import { GoogleCredentialsSchema } from '../families/google/credentials.ts';

/** What makes the requests is loaded by the first of them. */
const runs = () => import('./lookup-runs.ts');

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
    run: async (...args) => (await runs()).playlists(...args),
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
    run: async (...args) => (await runs()).newPlaylist(...args),
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
    run: async (...args) => (await runs()).categories(...args),
  }),
  defineLookup(GoogleCredentialsSchema, {
    name: 'languages',
    operation_id: 'listYoutubeLanguages',
    method: 'GET',
    summary: 'List the languages of YouTube',
    description: '`code` is used as `youtube_default_language` and `youtube_caption_language` in posts.',
    input: { hl },
    answer: v.object({ languages: v.array(NamedRecord), total }),
    run: async (...args) => (await runs()).languages(...args),
  }),
  defineLookup(GoogleCredentialsSchema, {
    name: 'regions',
    operation_id: 'listYoutubeRegions',
    method: 'GET',
    summary: 'List the regions of YouTube',
    description: '`code` is used in `youtube_allowed_countries` and `youtube_blocked_countries` in posts.',
    input: { hl },
    answer: v.object({ regions: v.array(NamedRecord), total }),
    run: async (...args) => (await runs()).regions(...args),
  }),
];
