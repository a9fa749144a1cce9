import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import { JsonSchema, type JsonObject } from '../../shared/model/json.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import type { SandboxPlatform } from '../../shared/platforms/contract/sandbox.ts';
import type { Faults } from './faults.ts';
import type { KeptMedia } from './kept.ts';
import { serveContent } from './media/serve.ts';
import { BadRequest, parsed } from './problem.ts';
import type { Receivers } from './receivers.ts';
import { ALL_ACCOUNTS, keyOf, resetState, type SandboxState } from './state.ts';
import type { Traffic } from './traffic.ts';

export interface ControlParts {
  state: SandboxState;
  platforms: ReadonlyMap<PlatformId, SandboxPlatform>;
  faults: Faults;
  traffic: Traffic;
  receivers: Receivers;
  kept: KeptMedia;
}

const TokensSchema = v.strictObject({
  platform: PlatformIdSchema,
  account: v.optional(v.string()),
  action: v.picklist(['expire', 'revoke', 'revoke_refresh']),
});

const ProcessingSchema = v.strictObject({
  platform: PlatformIdSchema,
  seconds: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
  outcome: v.optional(v.picklist(['ok', 'error']), 'ok'),
  error: v.optional(v.nullable(v.string()), null),
});

const amount = v.pipe(v.number(), v.integer(), v.minValue(0));
const MetricsSchema = v.objectWithRest(
  {
    platform: PlatformIdSchema,
    platform_post_id: v.string(),
    likes: v.optional(amount, 0),
    comments: v.optional(amount, 0),
    shares: v.optional(amount, 0),
    views: v.optional(amount, 0),
  },
  JsonSchema,
);

const LimitsSchema = v.objectWithRest(
  { platform: PlatformIdSchema, account: v.optional(v.string()) },
  JsonSchema,
);

/** The endpoints below `/_control`, by which a test steers the sandbox and sees what happened. */
export function controlApp(parts: ControlParts): Hono {
  const { state, faults, traffic, receivers, kept, platforms } = parts;
  const app = new Hono();
  app.onError((error, c) =>
    error instanceof BadRequest
      ? c.json({ error: error.message, issues: error.issues }, 400)
      : c.json({ error: error.message }, 500),
  );
  app.notFound(c => c.json({ error: `There is no ${c.req.method} ${c.req.path}` }, 404));

  app.get('/published', c => {
    const { platform, account } = c.req.query();
    const items = state.posts.filter(
      post => (platform ?? post.platform) === post.platform && (account ?? post.account) === post.account,
    );
    return c.json({ items });
  });

  app.get('/traffic', c => {
    const lines = traffic.list(c.req.query()).map(record => `${JSON.stringify(record)}\n`);
    return c.body(lines.join(''), 200, { 'content-type': 'application/x-ndjson' });
  });

  app.post('/faults', async c => c.json(faults.add(await bodyOf(c))));
  app.get('/faults', c => c.json({ items: faults.list() }));
  app.delete('/faults/:id?', c => {
    const id = c.req.param('id');
    return faults.clear(id) ? c.json({ ok: true }) : c.json({ error: `There is no fault ${id}` }, 404);
  });

  app.post('/tokens', async c => {
    const { platform, account, action } = parsed(TokensSchema, await bodyOf(c));
    doubleOf(platforms, platform).tokens(action, account ?? null);
    return c.json({ ok: true });
  });

  app.post('/processing', async c => {
    const { platform, ...processing } = parsed(ProcessingSchema, await bodyOf(c));
    state.processing.set(platform, processing);
    return c.json({ ok: true });
  });

  app.post('/metrics', async c => {
    const { platform, platform_post_id, ...metrics } = parsed(MetricsSchema, await bodyOf(c));
    state.metrics.set(keyOf(platform, platform_post_id), metrics);
    return c.json({ ok: true });
  });

  app.post('/limits', async c => {
    const { platform, account, ...limit } = parsed(LimitsSchema, await bodyOf(c));
    setLimit(state, keyOf(platform, account ?? ALL_ACCOUNTS), limit);
    return c.json({ ok: true });
  });

  app.get('/demo', c => {
    const logins = [...platforms].map(([platform, { demo }]) => [platform, 'body' in demo ? demo.body : {}]);
    return c.json(Object.fromEntries(logins));
  });

  app.post('/reset', c => {
    reset(parts);
    return c.json({ ok: true });
  });

  app.put('/receiver/:name', async c => {
    receivers.setScript(c.req.param('name'), await bodyOf(c));
    return c.json({ ok: true });
  });
  app.delete('/receiver/:name', c => {
    receivers.forget(c.req.param('name'));
    return c.json({ ok: true });
  });
  app.get('/receiver/:name', c => c.json({ deliveries: receivers.deliveries(c.req.param('name')) }));

  app.get('/media/:sha256', c => {
    const file = kept.find(c.req.param('sha256'));
    if (!file) return c.json({ error: 'No such file is kept' }, 404);
    const { type, bytes } = file;
    return serveContent([bytes], { type, range: c.req.header('range') ?? '', headers: INERT });
  });

  return app;
}

/** Received files are shown, never run: a page or a drawing with scripts in it does nothing here. */
const INERT = {
  'content-security-policy': "script-src 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, max-age=3600',
};

/** Everything back to the start: posts, records, settings, and what the doubles remember. */
export function reset({ state, faults, traffic, receivers, kept, platforms }: ControlParts): void {
  resetState(state);
  faults.clear();
  traffic.clear();
  receivers.clear();
  kept.clear();
  for (const double of platforms.values()) double.reset();
}

/** A limit with nothing in it is none. */
function setLimit(state: SandboxState, key: string, limit: JsonObject): void {
  if (Object.keys(limit).length === 0) state.limits.delete(key);
  else state.limits.set(key, limit);
}

async function bodyOf(c: Context): Promise<unknown> {
  try {
    return await c.req.json<unknown>();
  } catch {
    throw new BadRequest([{ path: '', message: 'the body is no JSON' }]);
  }
}

function doubleOf(platforms: ControlParts['platforms'], platform: PlatformId): SandboxPlatform {
  const double = platforms.get(platform);
  if (!double) throw new BadRequest([{ path: 'platform', message: `the sandbox does not play ${platform}` }]);
  return double;
}
