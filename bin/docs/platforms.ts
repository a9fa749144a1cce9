import { toJsonSchema } from '@valibot/to-json-schema';
import { format } from 'prettier';
import * as v from 'valibot';
import { PLATFORM_ALIASES, POST_TYPES } from '../../shared/model/platform.ts';
import { MAX_POST_BYTES } from '../../shared/posts/validate/size.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import type { Draft, PlatformRules, TextRule } from '../../shared/platforms/contract/rules.ts';
import { filesSections } from './files.ts';
import { statusTable } from './status.ts';
import { code, NONE, table } from './table.ts';

/** Returns docs/platforms.md, generated from the platform registry. */
export async function platformsPage(): Promise<string> {
  const all = Object.values(RULES);
  const page = [
    '# Platforms',
    'Generated from `shared/platforms/` by `npm run docs`; a test fails when the page is stale.',
    '## Status',
    'What is built for each platform. A dash means not yet: posts to such a platform are validated, and fail when they are due.',
    await statusTable(),
    '## Post types and files',
    'Maximum number of files by post type. Daily cap: posts for each connected account in any 24 hours. Posts are validated when they are created or changed; the response names every violation.',
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
    'Text and title are counted as they are sent: trimmed, with LF line ends. `auto_truncate` shortens them at a word, never inside a link, a mention or a hashtag.',
    `All texts of a post together have at most ${MAX_POST_BYTES} bytes.`,
    table(
      ['Platform', 'Text', 'Title', 'Title shown with', 'First comment'],
      all.map(rules => [
        rules.display_name,
        textCell(rules),
        byType(rules, type => lengths(rules.title(draftOf(type)))),
        rules.titled.join(', ') || NONE,
        commentCell(rules),
      ]),
    ),
    ...filesSections(all),
    ...all.flatMap(section),
  ];
  return format(page.join('\n\n'), { parser: 'markdown', proseWrap: 'preserve' });
}

function ids({ platform }: PlatformRules): string {
  const others = Object.keys(PLATFORM_ALIASES).filter(name => PLATFORM_ALIASES[name] === platform);
  return [platform, ...others].map(code).join(', ');
}

function countOf(max: number | undefined): string {
  if (max === undefined) return NONE;
  return max === 0 ? 'yes' : String(max);
}

const draftOf = (post_type: Draft['post_type']): Draft => ({
  post_type,
  title: null,
  description: null,
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
  account: null,
});

/** Returns one cell for all post types, with their names where they differ. */
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

function textCell(rules: PlatformRules): string {
  const limits = byType(rules, type => lengths(rules.text(draftOf(type))));
  const possible = rules.possible_text_limit;
  return possible ? `${limits}; warning over ${possible.limit} ${possible.unit}` : limits;
}

function commentCell({ comment }: PlatformRules): string {
  if (comment === null) return NONE;
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

/** The members of a field's JSON schema that the page shows. */
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
