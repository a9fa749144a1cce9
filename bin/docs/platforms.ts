import { toJsonSchema } from '@valibot/to-json-schema';
import { format } from 'prettier';
import * as v from 'valibot';
import { PLATFORM_ALIASES, POST_TYPES } from '../../shared/model/platform.ts';
import { MOST_BYTES } from '../../shared/posts/size.ts';
import { RULES } from '../../shared/platforms/registry.ts';
import type { Draft, PlatformRules, TextRule } from '../../shared/platforms/contract/rules.ts';
import { filesPart } from './files.ts';
import { code, NONE, table } from './table.ts';

/** The page about platforms, as it follows from their rules. */
export function platformsPage(): Promise<string> {
  const all = Object.values(RULES);
  const page = [
    '# Platforms',
    'Made from `shared/platforms/*/rules.ts` by `npm run docs`; a test fails when the two differ.',
    'Everything here but files is checked when a post is made (`POST /posts`), and every fault is named in one answer.',
    '## Post types and files',
    'Most files of a post, by its type. Daily cap: posts per connected account in any 24 hours.',
    table(
      ['Platform', 'Id', ...POST_TYPES, 'Daily cap'],
      all.map(rules => [
        rules.display_name,
        ids(rules),
        ...POST_TYPES.map(type => countOf(rules.post_types[type]?.max_files)),
        String(rules.daily_cap),
      ]),
    ),
    '## Texts',
    'Text and title are checked as they are sent: trimmed, with LF line ends. With `auto_truncate` they are cut instead, unless nothing would be left: a link, a mention and a hashtag are never cut in two.',
    `A post says at most ${MOST_BYTES} bytes in all its fields.`,
    table(
      ['Platform', 'Text', 'Title', 'Title shown with', 'First comment'],
      all.map(rules => [
        rules.display_name,
        byType(rules, type => lengths(rules.text(draftOf(type)))),
        byType(rules, type => lengths(rules.title(draftOf(type)))),
        rules.titled.join(', ') || NONE,
        commentCell(rules),
      ]),
    ),
    ...filesPart(all),
    ...all.flatMap(section),
  ];
  return format(page.join('\n\n'), { parser: 'markdown', proseWrap: 'preserve' });
}

function ids({ platform }: PlatformRules): string {
  const others = Object.keys(PLATFORM_ALIASES).filter(name => PLATFORM_ALIASES[name] === platform);
  return [platform, ...others].map(code).join(', ');
}

function countOf(most: number | undefined): string {
  if (most === undefined) return NONE;
  return most === 0 ? 'yes' : String(most);
}

const draftOf = (post_type: Draft['post_type']): Draft => ({
  post_type,
  title: null,
  description: null,
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
});

/** One cell for all post types, which are named where they differ. */
function byType(rules: PlatformRules, cell: (type: Draft['post_type']) => string): string {
  const types = POST_TYPES.filter(type => rules.post_types[type]);
  const cells = new Map<string, string[]>();
  for (const type of types) cells.set(cell(type), [...(cells.get(cell(type)) ?? []), type]);
  if (cells.size === 1) return [...cells.keys()].join();
  return [...cells].map(([text, those]) => `${those.join(', ')}: ${text}`).join('; ');
}

function lengths(rules: readonly TextRule[]): string {
  return rules.map(({ limit, unit }) => `${limit} ${unit}`).join(' and ') || NONE;
}

function commentCell({ comment }: PlatformRules): string {
  if (comment === null) return 'none is made';
  return comment.length === 0 ? 'yes' : lengths(comment);
}

function section(rules: PlatformRules): string[] {
  const fields = Object.entries(rules.options);
  const combinations = rules.combinations ?? [];
  if (fields.length === 0 && combinations.length === 0) return [];
  return [
    `## ${rules.display_name}`,
    table(
      ['Field', 'Values', 'Default', 'Notes'],
      fields.map(([name, schema]) => fieldRow(rules, name, schema)),
    ),
    combinations.map(rule => `- ${rule}`).join('\n'),
  ];
}

/** What is read of a field's JSON schema. */
const FieldSchema = v.object({
  type: v.optional(v.string()),
  enum: v.optional(v.array(v.unknown())),
  default: v.optional(v.unknown()),
  description: v.optional(v.string(), ''),
});

function fieldRow(rules: PlatformRules, name: string, schema: v.ObjectEntries[string]): string[] {
  const json: unknown = toJsonSchema(v.object({ [name]: schema }), { errorMode: 'ignore' }).properties?.[
    name
  ];
  const field = v.parse(FieldSchema, json);
  const fallback =
    field.default === undefined ? NONE : code(JSON.stringify(field.default).replaceAll('"', ''));
  return [
    code(name),
    field.enum ? field.enum.map(value => code(String(value))).join(', ') : (field.type ?? ''),
    rules.required.includes(name) ? 'required' : fallback,
    notes(rules, name, field.description),
  ];
}

function notes(rules: PlatformRules, name: string, description: string): string {
  const limit = rules.text_fields[name];
  const types = rules.only_for[name];
  return [
    description,
    limit && `at most ${limit.limit} ${limit.unit}`,
    types && `${types.join(' and ')} posts only`,
    rules.fetched.includes(name) && 'fetched by the service: must be public',
  ]
    .filter(Boolean)
    .join('; ');
}
