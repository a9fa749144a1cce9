import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { PLATFORM_IDS, POST_TYPES, type PlatformId } from '../../shared/model/platform.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { LOAD_PUBLISHER } from '../../shared/platforms/registry/load-publisher.ts';
import { CONNECTORS } from '../../shared/platforms/registry/connectors.ts';
import { BASICS } from '../../shared/platforms/registry/basics.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import type { PublishJob } from '../../shared/platforms/contract/publisher.ts';
import { NONE, table } from './table.ts';

/** Returns a table of what each platform supports: connect, publish, follow-ups, insights. */
export async function statusTable(): Promise<string> {
  const rows = await Promise.all(PLATFORM_IDS.map(statusRow));
  return table(['Platform', 'Connect', 'Publish', 'Follow-ups', 'Insights'], rows);
}

async function statusRow(platform: PlatformId): Promise<string[]> {
  const followUps = await followUpNames(platform);
  return [
    RULES[platform].display_name,
    connectCell(platform),
    LOAD_PUBLISHER[platform] ? Object.keys(RULES[platform].post_types).join(', ') : NONE,
    followUps.join(', ') || NONE,
    BASICS[platform].reading_ages_ms ? 'yes' : NONE,
  ];
}

const WAYS = { oauth: 'OAuth', direct: 'credentials' } as const;

function connectCell(platform: PlatformId): string {
  const connector = CONNECTORS[platform];
  return connector ? [...new Set(connector.ways.map(({ kind }) => WAYS[kind]))].join(', ') : NONE;
}

/** Returns the names of all follow-ups, as planned for posts of each type with every field, flags both set and not. */
async function followUpNames(platform: PlatformId): Promise<string[]> {
  const publisher = await LOAD_PUBLISHER[platform]?.();
  if (!publisher) return [];
  const types = POST_TYPES.filter(type => RULES[platform].post_types[type]);
  const names = types.flatMap(type =>
    [true, false].flatMap(flag => publisher.followUps(sampleJob(platform, type, flag))),
  );
  return [...new Set(names.map(({ name }) => name.replaceAll('_', ' ')))];
}

function sampleJob(platform: PlatformId, post_type: PublishJob['post_type'], flag: boolean): PublishJob {
  return {
    post_id: 'sample',
    platform,
    post_type,
    title: 'Title',
    description: 'Text',
    text: 'Text',
    media_urls: post_type === 'text' ? [] : ['https://example.com/file'],
    first_comment: 'Comment',
    auto_truncate: false,
    options: sampleOptions(platform, flag),
    account: { connection_id: 'sample', platform_user_id: 'sample', username: 'sample', attributes: {} },
    due_at: 0,
    created_at: 0,
  };
}

const FieldSchema = v.object({ type: v.optional(v.string()), enum: v.optional(v.array(v.string())) });

const SAMPLES: JsonObject = { integer: 1, number: 1, array: ['sample'], object: {} };

function sampleOptions(platform: PlatformId, flag: boolean): JsonObject {
  const schema = toJsonSchema(v.object(RULES[platform].options), { errorMode: 'ignore' });
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]): [string, unknown] => {
    const parsed = v.safeParse(FieldSchema, field);
    if (!parsed.success) return [name, 'https://example.com/file'];
    const { type = '', enum: values } = parsed.output;
    if (type === 'boolean') return [name, flag];
    return [name, values?.[0] ?? SAMPLES[type] ?? 'https://example.com/file'];
  });
  return v.parse(v.record(v.string(), v.any()), Object.fromEntries(fields));
}
