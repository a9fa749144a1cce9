import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { SECOND } from '../../time/instant.ts';
import { optionalText as id, send, type Caller } from './call.ts';

/* Creating stories, Spotlight videos and saved stories. All throw PlatformError. */

const CREATE_TIMEOUT_MS = 20 * SECOND;

/** Where a post is created: profile and media. */
export interface Place {
  profile: string;
  media_id: string;
}

function create<T>(
  caller: Caller,
  path: string,
  json: JsonObject,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const call = { what: 'Publishing', method: 'POST', path, json, timeoutMs: CREATE_TIMEOUT_MS } as const;
  return send(caller, call, schema);
}

const StorySchema = v.object({ story_id: id, snap_id: id, story_post_id: id, id });

/** Creates a story. Returns its id where Snapchat tells it, which it usually does not; null otherwise. */
export async function createStory(caller: Caller, { profile, media_id }: Place): Promise<string | null> {
  const path = `/v1/public_profiles/${profile}/stories`;
  const answer = await create(caller, path, { media_id }, StorySchema);
  return answer.story_id ?? answer.snap_id ?? answer.story_post_id ?? answer.id;
}

export interface Spotlight {
  /** Empty for none. */
  description: string;
  locale: string;
  skip_save_to_profile: boolean;
}

/** Creates a Spotlight video. Returns its id where Snapchat tells it; null otherwise. */
export async function createSpotlight(
  caller: Caller,
  { profile, media_id }: Place,
  { description, locale, skip_save_to_profile }: Spotlight,
): Promise<string | null> {
  const json = { media_id, ...(description !== '' && { description }), locale, skip_save_to_profile };
  const path = `/v1/public_profiles/${profile}/spotlights`;
  return (await create(caller, path, json, v.object({ spotlight_id: id }))).spotlight_id;
}

const SavedStory = v.object({ saved_story: v.fallback(v.nullish(v.object({ id }), null), null), id });
const SavedStoriesSchema = v.object({
  saved_stories: v.fallback(v.optional(v.array(SavedStory), []), []),
  saved_story_id: id,
});

/** Creates a saved story. Returns its id where Snapchat tells it; null otherwise. */
export async function createSavedStory(
  caller: Caller,
  { profile, media_id }: Place,
  title: string,
): Promise<string | null> {
  const json = { saved_stories: [{ title, snap_sources: [{ media_id }] }] };
  const path = `/v1/public_profiles/${profile}/saved_stories`;
  const { saved_stories, saved_story_id } = await create(caller, path, json, SavedStoriesSchema);
  const [story] = saved_stories;
  return story?.saved_story?.id ?? story?.id ?? saved_story_id;
}
