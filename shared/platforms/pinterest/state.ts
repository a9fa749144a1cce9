import * as v from 'valibot';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import { apiRoot } from './app.ts';
import type { Caller } from './call.ts';
import type { Credentials } from './credentials.ts';

export const StateSchema = v.object({
  /** URLs from which Pinterest fetches the images, in order. */
  images: v.array(v.string()),
  /** The uploaded video; null before it is uploaded. */
  media_id: v.nullable(v.string()),
  /** When the video was uploaded. Epoch milliseconds. */
  uploaded_at: v.number(),
  /** How often Pinterest forgot the video. */
  restarts: v.number(),
  /** How often Pinterest could not fetch an image. */
  unreachable: v.number(),
  /** The images are sent in the request, because Pinterest could not fetch or read them. */
  inline: v.boolean(),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = {
  images: [],
  media_id: null,
  uploaded_at: 0,
  restarts: 0,
  unreachable: 0,
  inline: false,
};

export type Context = StepContext<Credentials>;

export const callerOf = ({ http, app, credentials }: Context): Caller => ({
  http,
  root: apiRoot(app),
  token: credentials.access_token,
});

/** The board of the post. */
export const boardOf = ({ job, target }: Context): string =>
  textOption(job, 'pinterest_board_id') ?? target?.id ?? '';

export function textOption({ options }: PublishJob, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The title as it is sent; null where there is none. */
export const titleOf = ({ title }: PublishJob): string | null =>
  title === null || title === '' ? null : title;
