import * as v from 'valibot';
import { failure } from '../../model/failure.ts';
import { MINUTE } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { defineFollowUp, type FollowUp } from '../contract/publisher.ts';
import { optionalText, send } from './call.ts';
import type { Credentials } from './credentials.ts';
import { callerOf, profileOf, type Context, type State } from './state.ts';

/** Waits between the readings: 1, 5, 15 and 60 minutes after publication. */
const WAITS_MS = [MINUTE, 4 * MINUTE, 10 * MINUTE, 45 * MINUTE];

const ModerationSchema = v.object({ readings: v.number(), media_id: v.nullable(v.string()) });
type Moderation = v.InferOutput<typeof ModerationSchema>;

/** Follows the moderation of a Spotlight video for an hour. A video that Snapchat rejects fails its post. */
export const moderation: FollowUp<State, Credentials> = defineFollowUp<Moderation, State, Credentials>({
  name: 'moderation',
  idempotent: true,
  state: ModerationSchema,
  initial: (_job, { upload }) => ({ readings: 0, media_id: upload?.media_id ?? null }),
  run: async (context, state, { platform_post_id: id }) => {
    const { readings, media_id } = state;
    // Snapchat has not told the id of the video.
    if (id === media_id) return { type: 'done' };
    const status = readings === 0 ? 'SUBMITTED' : await spotlightStatus(context, id);
    if (status === 'REJECTED') {
      const message = "Snapchat's moderation rejected the Spotlight video";
      return { type: 'rejected', failure: failure('CONTENT_REJECTED', message), revokes: true };
    }
    const delayMs = WAITS_MS[readings];
    if (status !== 'SUBMITTED' || delayMs === undefined) return { type: 'done' };
    return { type: 'wait', state: { ...state, readings: readings + 1 }, delayMs };
  },
});

const SpotlightSchema = v.object({ spotlight: v.object({ status: optionalText }) });
const SpotlightsSchema = v.object({ spotlights: v.fallback(v.optional(v.array(SpotlightSchema), []), []) });

/** Returns the state of a Spotlight video; null where Snapchat does not show it. */
async function spotlightStatus(context: Context, id: string): Promise<string | null> {
  const path = `/v1/public_profiles/${profileOf(context)}/spotlights/${encodeURIComponent(id)}`;
  const call = { what: 'Reading the state of the video', method: 'GET', path } as const;
  try {
    const { spotlights } = await send(callerOf(context), call, SpotlightsSchema);
    return spotlights[0]?.spotlight.status ?? null;
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected') return null;
    throw error;
  }
}
