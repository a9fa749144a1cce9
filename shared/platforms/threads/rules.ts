import * as v from 'valibot';
import { findLinks } from '../../text/links.ts';
import { characters, charactersAndEmojiBytes, utf8Bytes } from '../../text/measure.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { choice, limitedText, ownDescription } from '../kit/fields.ts';
import type { Draft, RuleViolation, PlatformRules } from '../contract/rules.ts';
import { GB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';
import { MAX_LINKS } from './limits.ts';

const TEXT = [charactersAndEmojiBytes(500)];
/** Undocumented: some texts over it have been rejected, others published. */
export const BYTES = utf8Bytes(500);
const ALT_TEXT = characters(1000);

const topicTag = v.pipe(
  v.string('Must be a string'),
  v.description('Topic of the post: 1 to 50 characters without periods or ampersands'),
  v.trim(),
  v.transform(text => text.replace(/^#/, '')),
  v.check(tag => /^[^.&]{1,50}$/su.test(tag), 'Must be 1 to 50 characters without periods or ampersands'),
);

/** https://developers.facebook.com/docs/threads/posts */
export const rules: PlatformRules = {
  ...basics,
  post_types: { text: { max_files: 0 }, image: { max_files: 10 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG'], max_bytes: GB },
    video: {
      formats: ['MP4', 'MOV'],
      max_bytes: GB,
      max_seconds: 5 * MINUTES,
      max_width: 1920,
      min_aspect: 0.01,
      max_aspect: 10,
      min_frame_rate: 23,
      max_frame_rate: 60,
      video_codecs: ['avc', 'hevc'],
      audio_codecs: ['aac'],
    },
  },
  pictures: {
    formats: ['JPG', 'PNG'],
    max_bytes: 8_000_000,
    min_aspect: 0.1,
    max_aspect: 10,
    alpha: 'white',
    animation: 'refused',
  },
  text: () => TEXT,
  possible_text_limit: BYTES,
  title: () => [],
  titled: [],
  comment: null,
  text_fields: { threads_alt_text: ALT_TEXT },
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    threads_description: ownDescription('Threads'),
    threads_topic_tag: v.optional(topicTag),
    threads_alt_text: limitedText(ALT_TEXT, 'Alt text for every picture of the post, or for the video'),
    threads_reply_control: choice(
      ['everyone', 'accounts_you_follow', 'mentioned_only', 'followers_only'],
      'Who can reply; default: everyone',
    ),
  },
  required: [],
  only_for: { threads_alt_text: ['image', 'video'] },
  fetched: [],
  audience_fields: ['threads_reply_control'],
  combinations: ['The text contains at most 5 different links.'],
  validate,
  banned_hashtags: true,
};

function validate(draft: Draft, text: string): RuleViolation[] {
  const violations = missingText(draft, text);
  const links = new Set(findLinks(text).map(link => link.text));
  if (links.size > MAX_LINKS) {
    const message = `Threads accepts at most ${MAX_LINKS} different links; this text has ${links.size}`;
    violations.push({ field: 'description', message });
  }
  return violations;
}
