import * as v from 'valibot';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import type { GraphClient } from '../families/meta/graph.ts';
import { threadsClient } from './client.ts';
import type { Credentials } from './credentials.ts';

const ContainerSchema = v.object({
  /** Null before it is created, and when it must be created anew. */
  id: v.nullable(v.string()),
  finished: v.boolean(),
  /** When it was created. Epoch milliseconds. */
  since: v.number(),
  /** How often Threads failed to fetch or process it. */
  failures: v.number(),
});
export type Container = v.InferOutput<typeof ContainerSchema>;

export const StateSchema = v.object({
  /** Containers of a carousel's files, in order; none for other posts. */
  items: v.array(ContainerSchema),
  /** The container that is published. */
  post: ContainerSchema,
  /** How often Threads did not find the finished container when it was published. */
  misses: v.number(),
  /** How often all containers were created anew because of that. */
  rounds: v.number(),
  /** Threads refused the length of the text although its weight is within the limit. */
  cut_to_bytes: v.boolean(),
});
export type State = v.InferOutput<typeof StateSchema>;

export type Context = StepContext<Credentials>;

export const NEW_CONTAINER: Container = { id: null, finished: false, since: 0, failures: 0 };

export const isCarousel = ({ media_urls }: Pick<PublishJob, 'media_urls'>) => media_urls.length > 1;

export function initialState(job: PublishJob): State {
  return {
    items: isCarousel(job) ? job.media_urls.map(() => NEW_CONTAINER) : [],
    post: NEW_CONTAINER,
    misses: 0,
    rounds: 0,
    cut_to_bytes: false,
  };
}

export const clientOf = ({ http, now, credentials }: Context): GraphClient =>
  threadsClient({ http, now, token: credentials.access_token });
