import * as v from 'valibot';
import { largestPicture, Thumbnails } from './channel.ts';
import { API, itemsOf, send, type Call, type Caller } from './call.ts';
import { UNITS } from './quota.ts';

/* Reads of what posts can name. */

async function list<T>(
  caller: Caller,
  what: string,
  path: string,
  query: Record<string, string>,
  item: v.GenericSchema<unknown, T>,
): Promise<T[]> {
  const call: Call = {
    what,
    purpose: 'read',
    method: 'GET',
    url: `${API}/${path}`,
    query,
    units: UNITS.list,
  };
  return (await send(caller, call, itemsOf(item))).items;
}

const CategorySchema = v.object({
  id: v.string(),
  snippet: v.object({ title: v.string(), assignable: v.optional(v.boolean(), false) }),
});

export type Category = { category_id: string; title: string };

/** Returns the categories that a video can have in a region. */
export async function listCategories(caller: Caller, region: string): Promise<Category[]> {
  const query = { part: 'snippet', regionCode: region };
  const categories = await list(caller, 'Reading the categories', 'videoCategories', query, CategorySchema);
  return categories
    .filter(({ snippet }) => snippet.assignable)
    .map(({ id, snippet }) => ({ category_id: id, title: snippet.title }));
}

export type Named = { code: string; name: string };

const LanguageSchema = v.object({ snippet: v.object({ hl: v.string(), name: v.string() }) });

/** Returns languages with their names in the language `hl`. */
export async function listLanguages(caller: Caller, hl: string): Promise<Named[]> {
  const query = { part: 'snippet', hl };
  const languages = await list(caller, 'Reading the languages', 'i18nLanguages', query, LanguageSchema);
  return languages.map(({ snippet }) => ({ code: snippet.hl, name: snippet.name }));
}

const RegionSchema = v.object({ snippet: v.object({ gl: v.string(), name: v.string() }) });

/** Returns regions with their names in the language `hl`. */
export async function listRegions(caller: Caller, hl: string): Promise<Named[]> {
  const query = { part: 'snippet', hl };
  const regions = await list(caller, 'Reading the regions', 'i18nRegions', query, RegionSchema);
  return regions.map(({ snippet }) => ({ code: snippet.gl, name: snippet.name }));
}

const PlaylistSchema = v.object({
  id: v.string(),
  snippet: v.object({
    title: v.string(),
    description: v.optional(v.string(), ''),
    thumbnails: Thumbnails,
  }),
  status: v.optional(v.object({ privacyStatus: v.optional(v.string(), 'public') }), {}),
  contentDetails: v.optional(v.object({ itemCount: v.optional(v.number(), 0) }), {}),
});

const PlaylistPageSchema = v.object({
  ...itemsOf(PlaylistSchema).entries,
  nextPageToken: v.optional(v.string()),
});

export type Playlist = { playlist_id: string; title: string; description: string; privacy: string };
export type ListedPlaylist = Playlist & { item_count: number; thumbnail: string | null };

/** A channel has fewer; more pages would be a loop. */
const MAX_PAGES = 100;

/** Returns all playlists of the channel. */
export async function listPlaylists(caller: Caller): Promise<ListedPlaylist[]> {
  const playlists: ListedPlaylist[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { part: 'snippet,status,contentDetails', mine: 'true', maxResults: '50' };
    const call: Call = {
      what: 'Reading the playlists',
      purpose: 'read',
      method: 'GET',
      url: `${API}/playlists`,
      query: pageToken === undefined ? query : { ...query, pageToken },
      units: UNITS.list,
    };
    const { items, nextPageToken } = await send(caller, call, PlaylistPageSchema);
    playlists.push(...items.map(listed));
    if (nextPageToken === undefined) return playlists;
    pageToken = nextPageToken;
  }
  return playlists;
}

function playlistOf({ id, snippet, status }: v.InferOutput<typeof PlaylistSchema>): Playlist {
  const { title, description } = snippet;
  return { playlist_id: id, title, description, privacy: status.privacyStatus ?? 'public' };
}

const listed = (item: v.InferOutput<typeof PlaylistSchema>): ListedPlaylist => ({
  ...playlistOf(item),
  item_count: item.contentDetails.itemCount ?? 0,
  thumbnail: largestPicture(item.snippet.thumbnails),
});

/** Creates a playlist. Doing it twice creates two. */
export async function createPlaylist(
  caller: Caller,
  { title, description, privacy }: Omit<Playlist, 'playlist_id'>,
): Promise<Playlist> {
  const call: Call = {
    what: 'Creating the playlist',
    purpose: 'playlist',
    method: 'POST',
    url: `${API}/playlists`,
    query: { part: 'snippet,status' },
    json: { snippet: { title, description }, status: { privacyStatus: privacy } },
    units: UNITS.playlist_create,
  };
  return playlistOf(await send(caller, call, PlaylistSchema));
}
