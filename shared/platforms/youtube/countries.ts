import * as v from 'valibot';
import { failure } from '../../model/failure.ts';
import { PlatformError } from '../contract/error.ts';
import { defineFollowUp, type FollowUp, type Step, type StepResult } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import type { OnVideo } from './follow-up-calls.ts';
import { optionsOf, restrictionOf } from './options.ts';
import { callerOf, type Context, type State } from './state.ts';
import { updateVideo, type Restriction } from './videos.ts';
import { onHeldVideo, onVideo } from './young.ts';

/* A video that is restricted to countries is private until YouTube has the restriction: nobody else sees it before. */

/** Restricts the countries of the private video. What YouTube makes of it is told by the follow-up. */
export const RESTRICT: Step<State, GoogleCredentials> = { name: 'restrict', kind: 'prepare', run: restrict };

async function restrict(context: Context, state: State): Promise<StepResult<State>> {
  const { video_id } = state;
  if (video_id === null) return { type: 'next', state };
  try {
    const restricted = await isApplied(context, onHeldVideo(context, video_id, state));
    return { type: 'next', state: { ...state, restricted } };
  } catch (error) {
    // The follow-up fails in the same way and says why; the post itself must not.
    if (error instanceof PlatformError && error.kind === 'rejected') return { type: 'next', state };
    throw error;
  }
}

const CountriesSchema = v.object({ restricted: v.optional(v.nullable(v.boolean()), null) });
type CountriesState = v.InferOutput<typeof CountriesSchema>;

/** Tells whether YouTube restricts the countries: it documents that for content partners only. */
export const countries: FollowUp<State, GoogleCredentials> = defineFollowUp<
  CountriesState,
  State,
  GoogleCredentials
>({
  name: 'countries',
  idempotent: true,
  state: CountriesSchema,
  initial: (_job, { restricted }) => ({ restricted }),
  run: async (context, { restricted }, post) => {
    if (restricted ?? (await isApplied(context, onVideo(context, post)))) return { type: 'done' };
    const message =
      'YouTube did not apply the country restriction: it lets content partners alone restrict countries';
    return { type: 'rejected', failure: failure('CONTENT_REJECTED', message) };
  },
});

/** Asks YouTube to restrict the countries. Returns whether it did. */
async function isApplied(context: Context, { video_id, young }: OnVideo): Promise<boolean> {
  const wanted = restrictionOf(optionsOf(context.job)) ?? { blocked: [] };
  const resource = { id: video_id, contentDetails: { regionRestriction: wanted } };
  const { contentDetails } = await updateVideo(callerOf(context), resource, { young });
  return keyOf(contentDetails?.regionRestriction ?? {}) === keyOf(wanted);
}

const keyOf = ({ allowed = [], blocked = [] }: Restriction) =>
  `${allowed.toSorted().join()}/${blocked.toSorted().join()}`;
