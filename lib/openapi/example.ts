import type { Schema, Schemas } from './json-schema.ts';

const UUID = '018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d8e';
const TIME = '2026-12-01T10:00:00.000Z';

/** Realistic values by field name. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  profile_name: 'Acme Coffee',
  username: 'acme.coffee',
  name: 'Acme Coffee',
  display_name: 'Acme Coffee',
  title: 'A new blend',
  description: 'Our new blend is out: https://example.com/blend',
  first_comment: 'Where do you drink yours?',
  message: 'Done',
  email: 'sam@example.com',
  url: 'https://hooks.example.com/social',
  public_url: 'https://cdn.example.com/blend.mp4',
  avatar_url: 'https://cdn.example.com/avatar.jpg',
  redirect_url: 'https://app.example.com/connected',
  reconnect_url: 'https://api.example.com/v1/integrations/x/connect',
  authorize_url: 'https://x.com/i/oauth2/authorize?client_id=abc&state=def',
  upgrade_url: 'https://example.com/pricing',
  platform_post_url: 'https://x.com/acme/status/1860000000000000000',
  platform_post_id: '1860000000000000000',
  platform_user_id: '1234567890',
  media_urls: ['https://cdn.example.com/blend.jpg'],
  platforms: ['x', 'bluesky'],
  scheduled_date: TIME,
  timestamp: TIME,
  at: TIME,
  type: 'video/mp4',
  source_type: 'url',
  duration: 61.5,
  size: 10485760,
  duration_ms: 212,
  status_code: 200,
  attempts: 1,
  attempt: 1,
  limit: 20,
  state: 'c3RhdGU.c2lnbmF0dXJl',
  next_cursor: 'eyJhZnRlciI6IjAxOGYifQ.c2lnbmF0dXJl',
  signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  key: 'sps_0000000000000000000000000000000000000000',
  prefix: 'sps_000000',
  body: '{"event":"webhook.test"}',
  scopes: ['tweet.write'],
  hashtags: ['#coffee'],
  hashtag: '#coffee',
  field: 'description',
  error: 'The request failed',
};

/** Generates a valid value of a schema: its required properties, or all of them if none is required. */
export function exampleOf(schema: Schema, named: Schemas, field = ''): unknown {
  const target = resolve(schema, named);
  if (target.example !== undefined) return target.example;
  const choice = (target.anyOf ?? target.oneOf ?? [])[0];
  if (choice) return exampleOf(choice, named, field);
  if (target.allOf) return Object.assign({}, ...target.allOf.map(part => exampleOf(part, named)));
  if (target.enum) return target.enum[0];
  if (target.default !== undefined && target.default !== null) return target.default;
  const known = BY_NAME[field];
  if (known !== undefined && fits(known, target)) return known;
  return byType(target, named, field);
}

function resolve(schema: Schema, named: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const found = named[schema.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`Unknown reference ${schema.$ref}`);
  return found;
}

function byType(schema: Schema, named: Schemas, field: string): unknown {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, named);
    case 'array':
      return schema.items ? [exampleOf(schema.items, named, field)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema, field);
    case undefined:
      return {};
  }
}

function objectOf(schema: Schema, named: Schemas): Record<string, unknown> {
  const required = schema.required ?? [];
  const shown = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.includes(name) || required.length === 0,
  );
  const own = shown.map(([name, inner]) => [name, exampleOf(inner, named, name)] as const);
  const { additionalProperties: additional } = schema;
  const others = typeof additional === 'object' ? [['x', exampleOf(additional, named)] as const] : [];
  return Object.fromEntries([...own, ...others]);
}

function textOf({ format }: Schema, field: string): string {
  if (format === 'uuid' || /(^|_)(ids?|created_by)$/.test(field)) return UUID;
  if (format === 'date-time' || /_(at|until)$/.test(field)) return TIME;
  if (format === 'uri' || /_urls?$/.test(field)) return 'https://example.com/page';
  if (format === 'email') return 'sam@example.com';
  return 'text';
}

function fits(value: unknown, { type, items }: Schema): boolean {
  const allowed = items?.enum;
  if (type === 'array')
    return Array.isArray(value) && (!allowed || value.every(item => allowed.includes(item)));
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
