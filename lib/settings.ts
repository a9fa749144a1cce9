import type { Node } from 'constructs';
import * as v from 'valibot';
import { INSIGHTS } from '../shared/platforms/registry.ts';

const text = v.pipe(v.string(), v.trim(), v.nonEmpty());

const origin = v.pipe(
  text,
  v.regex(/^(https?:\/\/[^/\s]+|\*)$/, 'Must be an origin such as https://app.example.com'),
);

/** A list as cdk.json holds it, or as `-c name=a,b` gives it. */
const listOf = <T>(item: v.GenericSchema<string, T>) =>
  v.union([
    v.array(item),
    v.pipe(
      v.string(),
      v.transform(value => value.split(',')),
      v.array(item),
    ),
  ]);

const origins = listOf(origin);
/** Platforms that tell how posts are received. */
const TELLING = Object.keys(INSIGHTS);

const SettingsSchema = v.object({
  stage: v.optional(v.pipe(text, v.regex(/^[a-z][a-z0-9-]{0,19}$/)), 'prod'),
  publicUrl: v.optional(v.pipe(text, v.url(), v.startsWith('https://'))),
  upgradeUrl: v.optional(v.pipe(text, v.url()), 'https://example.com/pricing'),
  alarmEmail: v.optional(v.pipe(text, v.email())),
  allowedOrigins: v.optional(origins, []),
  redirectAllowlist: v.optional(listOf(v.union([origin, v.literal('none')])), ['none']),
  aiProvider: v.optional(v.picklist(['bedrock', 'openai', 'offline']), 'bedrock'),
  aiModel: v.optional(v.pipe(text, v.regex(/^[\w./:-]{1,200}$/, 'Must be the name of a model'))),
  aiBaseUrl: v.optional(v.pipe(text, v.url(), v.startsWith('https://')), 'https://api.openai.com/v1'),
  measured: v.optional(listOf(v.picklist(['none', ...TELLING])), TELLING),
});

/** Settings of a deployment: context values of the app, described in docs/deploy.md. */
export type Settings = v.InferOutput<typeof SettingsSchema>;

/** Part of every name, and the root of the stack's parameters in SSM. */
export const stackName = (stage: string) => `social-publishing-${stage}`;

/** Reads the settings of the context. Throws an error that names the setting which does not fit. */
export function readSettings(node: Node): Settings {
  const context = Object.fromEntries(
    Object.keys(SettingsSchema.entries).map(name => [name, value(node, name)]),
  );
  const parsed = v.safeParse(SettingsSchema, context);
  if (parsed.success) return parsed.output;
  const faults = parsed.issues.map(issue => `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
  throw new Error(`Settings that do not fit (docs/deploy.md describes them): ${faults.join('; ')}`);
}

function value(node: Node, name: string): unknown {
  const given: unknown = node.tryGetContext(name);
  return given;
}
