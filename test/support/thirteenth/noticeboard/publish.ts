import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import { defineFollowUp, definePublisher, type PublishJob, type Step } from '../contract/publisher.ts';
import { CredentialsSchema, noticeboardClient, type Credentials, type Notice } from './client.ts';

const StateSchema = v.object({});
type State = v.InferOutput<typeof StateSchema>;

const OptionsSchema = v.object({
  noticeboard_section: v.optional(v.string()),
  noticeboard_pin: v.optional(v.boolean(), false),
});

const optionsOf = (job: PublishJob) => v.parse(OptionsSchema, job.options);

const post: Step<State, Credentials> = {
  name: 'post',
  kind: 'commit',
  run: async ({ job, http, credentials, now }, state) => {
    const { noticeboard_section: section } = optionsOf(job);
    const notice = await noticeboardClient(http, credentials.token).post({
      key: job.post_id,
      text: job.text,
      ...(section === undefined ? {} : { section }),
    });
    return { type: 'published', post: liveAt(notice, now()), state };
  },
  reconcile: async ({ job, http, credentials }, _state, intentAt) => {
    const { notices } = await noticeboardClient(http, credentials.token).find(job.post_id);
    const [notice] = notices;
    return notice ? { type: 'published', post: liveAt(notice, intentAt) } : { type: 'absent' };
  },
};

const liveAt = ({ id, url }: Notice, at: number): PublishedPost => ({
  platform_post_id: id,
  platform_post_url: url,
  published_at: at,
});

const pin = defineFollowUp<State, State, Credentials>({
  name: 'pin',
  idempotent: true,
  state: StateSchema,
  initial: () => ({}),
  run: async ({ http, credentials }, _state, { platform_post_id }) => {
    await noticeboardClient(http, credentials.token).pin(platform_post_id);
    return { type: 'done' };
  },
});

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: () => ({}),
  steps: () => [post],
  followUps: job => (optionsOf(job).noticeboard_pin ? [pin] : []),
});
