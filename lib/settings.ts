import type { Node } from 'constructs';
import * as v from 'valibot';
import { INSIGHTS } from '../shared/platforms/registry.ts';

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());

const origin = v.pipe(
  text,
  v.regex(/^(https?:\/\/[^/\s]+|\*)$/, 'Must be an origin such as https://app.example.com'),
);

/** Accepts an array (cdk.json) or text with commas (`-c name=a,b`). */
const listOf = <T>(item: v.GenericSchema<string, T>) =>
  v.union([
    v.array(item),
    v.pipe(
      v.string(),
      v.transform(value => value.split(',')),
      v.array(item),
    ),
  ]);

/** Accepts a boolean (cdk.json) or text (`-c name=false`). */
const toggle = v.union([
  v.boolean(),
  v.pipe(
    v.picklist(['true', 'false']),
    v.transform(value => value === 'true'),
  ),
]);

const origins = listOf(origin);
/** Platforms that provide metrics of posts. */
const MEASURABLE = Object.keys(INSIGHTS);

const SettingsSchema = v.object({
  stage: v.optional(v.pipe(text, v.regex(/^[a-z][a-z0-9-]{0,19}$/)), 'prod'),
  publicUrl: v.optional(v.pipe(text, v.url(), v.startsWith('https://'))),
  upgradeUrl: v.optional(v.pipe(text, v.url()), 'https://example.com/pricing'),
  alarmEmail: v.optional(v.pipe(text, v.email())),
  allowedOrigins: v.optional(origins, []),
  redirectAllowlist: v.optional(listOf(v.union([origin, v.literal('none')])), ['none']),
  aiProvider: v.optional(v.picklist(['bedrock', 'openai', 'offline']), 'bedrock'),
  aiModel: v.optional(v.pipe(text, v.regex(/^[\w./:-]{1,200}$/, 'Must be a model id'))),
  aiBaseUrl: v.optional(v.pipe(text, v.url(), v.startsWith('https://')), 'https://api.openai.com/v1'),
  insightsPlatforms: v.optional(listOf(v.picklist(['none', ...MEASURABLE])), MEASURABLE),
  live: v.optional(toggle, true),
  liveSize: v.optional(v.picklist(['360p', '720p', '1080p']), '720p'),
});

/** Settings of a deployment: context values of the CDK app, documented in docs/deploy.md. */
export type Settings = v.InferOutput<typeof SettingsSchema>;

/** Returns the stack's name: prefix of all resource names and root of its SSM parameters. */
export const stackName = (stage: string) => `social-publishing-${stage}`;

/** Reads the settings from the CDK context. Throws an error that names every invalid setting. */
export function readSettings(node: Node): Settings {
  const context = Object.fromEntries(
    Object.keys(SettingsSchema.entries).map(name => [name, contextValue(node, name)]),
  );
  const parsed = v.safeParse(SettingsSchema, context);
  if (parsed.success) return parsed.output;
  const problems = parsed.issues.map(issue => `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
  throw new Error(`Invalid settings (see docs/deploy.md): ${problems.join('; ')}`);
}

function contextValue(node: Node, name: string): unknown {
  const value: unknown = node.tryGetContext(name);
  return value;
}
