import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { BANNED, bannedFor } from '../../shared/posts/banned-hashtags.ts';
import {
  getHashtagChoices,
  putHashtagChoices,
  type HashtagChoices,
} from '../../shared/store/banned-hashtags.ts';
import { foldHashtag, hashtagsOf } from '../../shared/text/hashtags.ts';

const MOST = 1000;

const HashtagsView = v.object({
  /** What the workspace adds to the service's list. */
  added: v.array(v.string()),
  /** What the workspace allows although it is on the list. */
  allowed: v.array(v.string()),
  /** The service's own list. */
  defaults: v.array(v.string()),
  /** What holds for the workspace's posts. */
  banned: v.array(v.string()),
});

/** With or without `#`; one word. */
const hashtag = v.pipe(
  v.string('Must be a hashtag'),
  v.trim(),
  v.maxLength(100, 'Must be at most 100 characters'),
  v.check(isHashtag, 'Must be one hashtag: letters, numbers and underscores'),
  v.transform(foldHashtag),
);

const hashtags = v.optional(
  v.pipe(
    v.array(hashtag, 'Must be a list of hashtags'),
    v.maxLength(MOST, `Must be at most ${MOST} hashtags`),
    v.transform(words => [...new Set(words)].sort()),
  ),
  [],
);

function isHashtag(text: string): boolean {
  const whole = `#${text.replace(/^[#＃]/u, '')}`;
  return hashtagsOf(whole)[0] === whole;
}

function hashtagsView(choices: HashtagChoices): v.InferOutput<typeof HashtagsView> {
  return { ...choices, defaults: [...BANNED], banned: [...bannedFor(choices)].sort() };
}

export const getBannedHashtags = route({
  method: 'GET',
  path: '/workspace/banned-hashtags',
  operation_id: 'getBannedHashtags',
  summary: 'Read the hashtags that posts to Instagram, Threads and Facebook must not carry',
  tag: 'Workspace',
  auth: 'key',
  responses: { 200: { description: 'The list, and what the workspace made of it', schema: HashtagsView } },
  handler: async ({ principal }, services) => {
    const choices = await getHashtagChoices(services.table, principal.workspace_id);
    return { status: 200, body: hashtagsView(choices) };
  },
});

export const putBannedHashtags = route({
  method: 'PUT',
  path: '/workspace/banned-hashtags',
  operation_id: 'putBannedHashtags',
  summary: 'Set which hashtags the workspace adds to the banned ones and which it allows',
  tag: 'Workspace',
  auth: 'key',
  body: { added: hashtags, allowed: hashtags },
  responses: { 200: { description: 'The list as it is now', schema: HashtagsView } },
  handler: async ({ body, principal }, services) => {
    const choices = { added: body.added, allowed: body.allowed };
    await putHashtagChoices(services.table, principal.workspace_id, choices);
    return { status: 200, body: hashtagsView(choices) };
  },
});
