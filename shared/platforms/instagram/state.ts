import * as v from 'valibot';
import { HOUR } from '../../time/instant.ts';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import { accessesOf, type Accesses } from './access.ts';
import type { Credentials } from './credentials.ts';

const ContainerSchema = v.object({
  id: v.string(),
  /** Epoch milliseconds. */
  created_at: v.number(),
  /** Instagram has processed it. */
  ready: v.boolean(),
  /** Where the bytes of a large video go; null once they have arrived, and where Instagram fetches the file. */
  upload_url: v.nullable(v.string()),
  /** Since when Instagram refuses to show the container. Epoch milliseconds. */
  hidden_since: v.nullable(v.number()),
});
export type Container = v.InferOutput<typeof ContainerSchema>;

export const StateSchema = v.object({
  /** One for each file of the post, in order; null where it is to be created. */
  files: v.array(v.nullable(ContainerSchema)),
  /** The carousel of the files. */
  carousel: v.nullable(ContainerSchema),
  /** How often containers were created anew after a failure. */
  renewals: v.number(),
  /** How often publishing waited because Instagram did not find the container. */
  misses: v.number(),
  /** Instagram refused to publish, in a way that is known to be wrong at times. `since`: when the request was sent. */
  doubt: v.nullable(v.object({ since: v.number(), code: v.picklist(['spam', 'permission']) })),
});
export type State = v.InferOutput<typeof StateSchema>;

export const freshState = ({ media_urls }: Pick<PublishJob, 'media_urls'>): State => ({
  files: media_urls.map(() => null),
  carousel: null,
  renewals: 0,
  misses: 0,
  doubt: null,
});

export type Context = StepContext<Credentials>;

export const accessesFor = (context: Context): Accesses => accessesOf(context);

export const isCarousel = ({ media_urls }: Pick<PublishJob, 'media_urls'>): boolean => media_urls.length > 1;

/** The container that is published. */
export const finalContainer = ({ files, carousel }: State): Container | null => carousel ?? files[0] ?? null;

/** Containers live for 24 hours. */
const USABLE_MS = 23 * HOUR;

export const isTooOld = (container: Container, now: number): boolean =>
  now - container.created_at > USABLE_MS;

/** Failures after which the containers are not created once more. */
const MAX_RENEWALS = 2;

export const mayRenew = ({ renewals }: State): boolean => renewals < MAX_RENEWALS;
