import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { bannedFor, DEFAULT_BANNED } from '../../shared/posts/validate/banned-hashtags.ts';
import {
  getHashtagChoices,
  putHashtagChoices,
  type HashtagChoices,
} from '../../shared/store/banned-hashtags.ts';
import { codePointLength } from '../../shared/text/code-points.ts';
import { foldHashtag, hashtagsOf } from '../../shared/text/hashtags.ts';

const MAX_HASHTAGS = 1000;

const HashtagsView = v.pipe(
  v.object({
    /** Hashtags that the workspace adds to the default list. */
    added: v.array(v.string()),
    /** Hashtags of the default list that the workspace allows. */
    allowed: v.array(v.string()),
    /** The default list. */
    defaults: v.array(v.string()),
    /** The list that applies to the workspace's posts. */
    banned: v.array(v.string()),
  }),
  v.title('BannedHashtagList'),
);

/** One hashtag, with or without `#`. */
const hashtag = v.pipe(
  v.string('Must be a hashtag'),
  v.trim(),
  v.check(text => codePointLength(text) <= 100, 'Must have at most 100 characters'),
  v.check(isHashtag, 'Must be one hashtag of letters, numbers and underscores'),
  v.transform(foldHashtag),
);

const hashtags = v.optional(
  v.pipe(
    v.array(hashtag, 'Must be a list of hashtags'),
    v.maxLength(MAX_HASHTAGS, `Must contain at most ${MAX_HASHTAGS} hashtags`),
    v.transform(words => [...new Set(words)].sort()),
  ),
  [],
);

function isHashtag(text: string): boolean {
  const whole = `#${text.replace(/^[#＃]/u, '')}`;
  return hashtagsOf(whole)[0] === whole;
}

function hashtagsView(choices: HashtagChoices): v.InferOutput<typeof HashtagsView> {
  return { ...choices, defaults: [...DEFAULT_BANNED], banned: [...bannedFor(choices)].sort() };
}

export const getBannedHashtags = route({
  method: 'GET',
  path: '/workspace/banned-hashtags',
  operation_id: 'getBannedHashtags',
  summary: 'Read the hashtags that are banned on Instagram, Threads and Facebook',
  tag: 'Workspace',
  auth: 'key',
  responses: {
    200: { description: 'The default list and the changes of the workspace', schema: HashtagsView },
  },
  handler: async ({ principal }, services) => {
    const choices = await getHashtagChoices(services.table, principal.workspace_id);
    return { status: 200, body: hashtagsView(choices) };
  },
});

export const putBannedHashtags = route({
  method: 'PUT',
  path: '/workspace/banned-hashtags',
  operation_id: 'replaceBannedHashtags',
  summary: 'Set which hashtags the workspace bans in addition and which it allows',
  tag: 'Workspace',
  auth: 'key',
  access: 'owner',
  body: { added: hashtags, allowed: hashtags },
  responses: { 200: { description: 'The list after the change', schema: HashtagsView } },
  handler: async ({ body, principal }, services) => {
    const choices = { added: body.added, allowed: body.allowed };
    await putHashtagChoices(services.table, principal.workspace_id, choices);
    return { status: 200, body: hashtagsView(choices) };
  },
});
