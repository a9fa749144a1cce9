import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import { JsonSchema, type JsonObject } from '../../shared/model/json.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import type { Overview } from '../overview.ts';
import type { Ingest } from '../live/ingest.ts';
import type { Faults } from './faults.ts';
import type { MediaStore } from './media-store.ts';
import { serveContent } from './media/serve.ts';
import { BadRequest, issuesOf, parseBody } from './bad-request.ts';
import type { PlayedPlatform, PlayedPlatforms } from './played.ts';
import type { Receivers } from './receivers.ts';
import { ALL_ACCOUNTS, keyOf, resetState, type SandboxState } from './state.ts';
import type { Traffic } from './traffic.ts';

export interface ControlParts {
  /** The posts of the API, for the page; null where the sandbox runs alone. */
  overview: () => Promise<Overview | null>;
  state: SandboxState;
  platforms: PlayedPlatforms;
  faults: Faults;
  traffic: Traffic;
  receivers: Receivers;
  mediaStore: MediaStore;
  ingest: Pick<Ingest, 'kill'>;
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

const AccountsSchema = v.objectWithRest({ platform: PlatformIdSchema, account: v.string() }, JsonSchema);

const StreamsSchema = v.strictObject({
  platform: PlatformIdSchema,
  stream_key: v.string(),
  active: v.boolean(),
});

/** The endpoints below `/_control`, with which tests control the sandbox and inspect what happened. */
export function controlApp(parts: ControlParts): Hono {
  const { state, faults, traffic, receivers, mediaStore, platforms, ingest } = parts;
  const app = new Hono();
  app.onError((error, c) =>
    error instanceof BadRequest
      ? c.json({ error: error.message, issues: error.issues }, 400)
      : c.json({ error: error.message }, 500),
  );
  app.notFound(c => c.json({ error: `${c.req.method} ${c.req.path} does not exist` }, 404));

  app.get('/published', c => {
    const { platform, account } = c.req.query();
    const items = state.posts
      .all()
      .filter(
        post => (platform ?? post.platform) === post.platform && (account ?? post.account) === post.account,
      );
    return c.json({ items });
  });

  app.get('/traffic', c => {
    const lines = traffic.lines(c.req.query()).map(line => `${line}\n`);
    return c.body(lines.join(''), 200, { 'content-type': 'application/x-ndjson' });
  });

  app.post('/faults', async c => c.json(faults.add(await bodyOf(c))));
  app.get('/faults', c => c.json({ items: faults.list() }));
  app.delete('/faults/:id?', c => {
    const id = c.req.param('id');
    return faults.clear(id) ? c.json({ ok: true }) : c.json({ error: `The fault ${id} does not exist` }, 404);
  });

  app.post('/tokens', async c => {
    const { platform, account, action } = parseBody(TokensSchema, await bodyOf(c));
    playedPlatform(platforms, platform).tokens(action, account ?? null);
    return c.json({ ok: true });
  });

  app.post('/accounts', async c => {
    const { platform, account, ...change } = parseBody(AccountsSchema, await bodyOf(c));
    changeAccount(playedPlatform(platforms, platform), account, change);
    return c.json({ ok: true });
  });

  app.post('/processing', async c => {
    const { platform, ...processing } = parseBody(ProcessingSchema, await bodyOf(c));
    state.processing.set(platform, processing);
    return c.json({ ok: true });
  });

  app.post('/metrics', async c => {
    const { platform, platform_post_id, ...metrics } = parseBody(MetricsSchema, await bodyOf(c));
    state.metrics.set(keyOf(platform, platform_post_id), metrics);
    return c.json({ ok: true });
  });

  app.post('/limits', async c => {
    const { platform, account, ...limit } = parseBody(LimitsSchema, await bodyOf(c));
    setLimit(state, keyOf(platform, account ?? ALL_ACCOUNTS), limit);
    return c.json({ ok: true });
  });

  app.post('/streams', async c => {
    const { platform, stream_key, active } = parseBody(StreamsSchema, await bodyOf(c));
    setStream(playedPlatform(platforms, platform), stream_key, active);
    return c.json({ ok: true });
  });

  app.delete('/streams', async c => {
    await ingest.kill();
    return c.json({ ok: true });
  });

  app.get('/demo', c => {
    const bodies = [...platforms].map(([id, { definition }]) => [id, connectBody(definition.demo)]);
    return c.json(Object.fromEntries(bodies));
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
    receivers.clearDeliveries(c.req.param('name'));
    return c.json({ ok: true });
  });
  app.get('/receiver/:name', c => c.json({ deliveries: receivers.deliveries(c.req.param('name')) }));

  app.get('/media/:sha256', c => {
    const file = mediaStore.read(c.req.param('sha256'));
    if (!file) return c.json({ error: 'The file does not exist' }, 404);
    const { type, bytes } = file;
    return serveContent([bytes], { type, range: c.req.header('range') ?? '', headers: INERT });
  });

  return app;
}

/** Scripts in received files (HTML, SVG) must not run. */
const INERT = {
  'content-security-policy': "script-src 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, max-age=3600',
};

/** Restores the initial state of the sandbox and of every platform. */
export function reset({ state, faults, traffic, receivers, mediaStore, platforms }: ControlParts): void {
  resetState(state);
  faults.clear();
  traffic.clear();
  receivers.clear();
  mediaStore.clear();
  for (const platform of platforms.values()) platform.reset();
}

/** Body of a direct connect to the platform's Demo account; empty for OAuth platforms. */
function connectBody(demo: PlayedPlatform['definition']['demo']): JsonObject {
  return 'body' in demo ? demo.body : {};
}

/** An empty limit removes the one that was set. */
function setLimit(state: SandboxState, key: string, limit: JsonObject): void {
  if (Object.keys(limit).length === 0) state.limits.delete(key);
  else state.limits.set(key, limit);
}

async function bodyOf(c: Context): Promise<unknown> {
  try {
    return await c.req.json<unknown>();
  } catch {
    throw new BadRequest([{ path: '', message: 'The request body must be JSON' }]);
  }
}

function changeAccount({ definition, change }: PlayedPlatform, account: string, changes: JsonObject): void {
  if (!change) {
    const message = `The accounts of ${definition.platform} cannot be changed`;
    throw new BadRequest([{ path: 'platform', message }]);
  }
  try {
    if (change(account, changes)) return;
  } catch (error) {
    if (error instanceof v.ValiError) throw new BadRequest(issuesOf(error.issues));
    throw error;
  }
  throw new BadRequest([{ path: 'account', message: `The account ${account} does not exist` }]);
}

/** Acts as an encoder that begins or ends to send a stream. */
function setStream({ ingest, definition }: PlayedPlatform, streamKey: string, isActive: boolean): void {
  if (!ingest) {
    const message = `${definition.platform} receives no live streams`;
    throw new BadRequest([{ path: 'platform', message }]);
  }
  if (!isActive) ingest.streamStopped(streamKey);
  else if (!ingest.streamStarted(streamKey)) {
    throw new BadRequest([{ path: 'stream_key', message: 'The stream key is unknown' }]);
  }
}

function playedPlatform(platforms: PlayedPlatforms, id: PlatformId): PlayedPlatform {
  const platform = platforms.get(id);
  if (!platform) throw new BadRequest([{ path: 'platform', message: `The sandbox does not play ${id}` }]);
  return platform;
}
