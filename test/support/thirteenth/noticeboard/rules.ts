import * as v from 'valibot';
import type { PlatformRules } from '../contract/rules.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { characters } from '../../text/measure.ts';
import { basics } from './basics.ts';

/** https://api.noticeboard.example/docs#notices */
const TEXT = [characters(200)];

export const rules: PlatformRules = {
  ...basics,
  post_types: { text: { max_files: 0 } },
  files: {},
  pictures: null,
  text: () => TEXT,
  title: () => [],
  titled: [],
  comment: null,
  text_fields: {},
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    noticeboard_section: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.description('Id of the section; see the sections lookup')),
    ),
    noticeboard_pin: v.optional(v.pipe(v.boolean(), v.description('Pin the notice')), false),
  },
  required: [],
  only_for: {},
  fetched: [],
  validate: missingText,
  banned_hashtags: false,
};
