import type { Node } from 'constructs';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { BASICS } from '../shared/platforms/registry/basics.ts';
import { PUBLISHED_PLATFORMS } from '../shared/platforms/registry/published.ts';

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());

const origin = v.pipe(
  text,
  v.regex(/^(https?:\/\/[^/\s]+|\*)$/, 'Must be an origin such as https://app.example.com'),
);

/** Accepts an array (a settings file) or text with commas (`-c name=a,b`). */
const listOf = <T>(item: v.GenericSchema<string, T>) =>
  v.union([
    v.array(item),
    v.pipe(
      v.string(),
      v.transform(value => value.split(',')),
      v.array(item),
    ),
  ]);

/** Accepts `true` (a settings file) or `'true'` (`-c name=true`). */
const flag = v.pipe(
  v.union([v.boolean(), v.picklist(['true', 'false'])]),
  v.transform(value => value === true || value === 'true'),
);
const whole = (least: number) =>
  v.pipe(v.union([v.number(), v.pipe(v.string(), v.transform(Number))]), v.integer(), v.minValue(least));

const origins = listOf(origin);
/** Platforms that provide metrics of posts. */
const MEASURABLE = PLATFORM_IDS.filter(platform => BASICS[platform].reading_ages_ms);

/** Settings of the service itself, which are also properties of the construct. */
const SERVICE = {
  platforms: v.optional(listOf(v.picklist(PUBLISHED_PLATFORMS)), PUBLISHED_PLATFORMS),
  publicUrl: v.optional(v.pipe(text, v.url(), v.startsWith('https://'))),
  mediaCdn: v.optional(flag, true),
  lambdaConcurrency: v.optional(whole(10), 1000),
  upgradeUrl: v.optional(v.pipe(text, v.url()), 'https://example.com/pricing'),
  alarmEmail: v.optional(v.pipe(text, v.email())),
  monthlyBudget: v.optional(whole(1)),
  allowedOrigins: v.optional(origins, []),
  redirectAllowlist: v.optional(listOf(v.union([origin, v.literal('none')])), ['none']),
  aiProvider: v.optional(v.picklist(['bedrock', 'openai', 'offline']), 'bedrock'),
  aiModel: v.optional(v.pipe(text, v.regex(/^[\w./:-]{1,200}$/, 'Must be a model id'))),
  aiBaseUrl: v.optional(v.pipe(text, v.url(), v.startsWith('https://')), 'https://api.openai.com/v1'),
  insightsPlatforms: v.optional(listOf(v.picklist(['none', ...MEASURABLE])), MEASURABLE),
  live: v.optional(flag, true),
  liveSize: v.optional(v.picklist(['360p', '720p', '1080p']), '720p'),
};

const FIELDS = {
  ...SERVICE,
  domainName: v.optional(v.pipe(text, v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'Must be a host name'))),
  certificateArn: v.optional(
    v.pipe(text, v.regex(/^arn:[\w-]+:acm:/, 'Must be the ARN of an ACM certificate')),
  ),
  keptTable: v.optional(text),
  keptBucket: v.optional(text),
};

const ServiceSchema = v.strictObject(SERVICE);
export type ServiceSettings = v.InferOutput<typeof ServiceSchema>;

const FieldsSchema = v.strictObject(FIELDS);
/** Settings of a deployment, documented in docs/deploy.md. */
export type Settings = v.InferOutput<typeof FieldsSchema>;

const StageSchema = v.optional(v.pipe(text, v.regex(/^[a-z][a-z0-9-]{0,19}$/)), 'prod');

export const SETTINGS_FOLDER = join(import.meta.dirname, '..', 'settings');

/** Returns the stack's name: prefix of generated resource names and root of its SSM parameters. */
export const stackName = (stage: string) => `social-publishing-${stage}`;

/** Reads the stage from the CDK context. */
export function readStage(node: Node): string {
  return parsed('stage', StageSchema, contextValue(node, 'stage'));
}

/**
 * Reads the settings of a stage: `settings/<stage>.json` in `folder`, and the CDK context, which overrides it. Throws an error
 * that names every invalid setting.
 */
export function readSettings(node: Node, folder: string | null): Settings {
  const settings = parsed('', FieldsSchema, givenSettings(node, folder));
  if ((settings.domainName === undefined) !== (settings.certificateArn === undefined)) {
    throw new Error('Invalid settings: domainName and certificateArn belong together');
  }
  return settings;
}

/** Returns the settings of the service with their defaults. Throws an error that names every invalid setting. */
export function serviceSettings(given: object): ServiceSettings {
  const settings = parsed('', ServiceSchema, given);
  if (settings.monthlyBudget !== undefined && settings.alarmEmail === undefined) {
    throw new Error('Invalid settings: monthlyBudget needs alarmEmail, which is notified');
  }
  return settings;
}

/** Returns the settings of a stage as they were given, without defaults. */
export function givenSettings(node: Node, folder: string | null): Record<string, unknown> {
  return { ...inFile(folder, readStage(node)), ...inContext(node) };
}

/** Key of the template's metadata with the settings that a deployment was given: the next one compares them with its own. */
export const SETTINGS_METADATA = 'Settings';

/** Returns the names of settings that only `-c` sets: a deployment without it undoes them. */
export function forgettable(node: Node, folder: string, cdkJson: unknown): string[] {
  const kept = inFile(folder, readStage(node));
  const { context } = v.parse(v.object({ context: v.record(v.string(), v.unknown()) }), cdkJson);
  return Object.keys(inContext(node)).filter(name => !(name in kept) && !(name in context));
}

function inFile(folder: string | null, stage: string): Record<string, unknown> {
  const file = folder === null ? '' : join(folder, `${stage}.json`);
  if (!existsSync(file)) return {};
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return v.parse(v.record(v.string(), v.unknown()), json);
}

function inContext(node: Node): Record<string, unknown> {
  const values = Object.keys(FIELDS).map((name): [string, unknown] => [name, contextValue(node, name)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function contextValue(node: Node, name: string): unknown {
  const value: unknown = node.tryGetContext(name);
  return value;
}

function parsed<T>(name: string, schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const problems = result.issues.map(issue => `${v.getDotPath(issue) ?? name}: ${issue.message}`);
  throw new Error(`Invalid settings (see docs/deploy.md): ${problems.join('; ')}`);
}
