import { Hono } from 'hono';
import type { SandboxDefinition, SandboxHost } from '../../shared/platforms/contract/sandbox.ts';
import { findLinks } from '../../shared/platforms/kit/sandbox/links.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from './index.ts';

/** A minimal platform for tests of the sandbox itself: it publishes, echoes requests and records its calls. */
export function fakePlatform(): { definition: SandboxDefinition; calls: string[]; host: () => SandboxHost } {
  const calls: string[] = [];
  let started: SandboxHost | null = null;
  const host = (): SandboxHost => {
    if (!started) throw new Error('The sandbox has not started the platform');
    return started;
  };

  const definition: SandboxDefinition = {
    platform: 'x',
    badge: { name: 'Fake', letters: 'F', color: '#123456', darkColor: '#654321' },
    hosts: ['api.x.com', '*.cdn.example'],
    secrets: { headers: ['x-pin'], query: ['pin'], fields: ['pin'], path: /(?<=^\/bot)[^/]+/ },
    links: text => findLinks(text, { hashtag: tag => `https://x.com/hashtag/${tag}` }),
    demo: { body: { pin: '1' } },
    start: host => {
      started = host;
      return {
        app: fakeApp(host),
        tokens: (action, account) => void calls.push(`${action} ${account ?? 'all'}`),
        ingest: {
          listenAt: () => undefined,
          streamStarted: key => {
            if (key === 'key') calls.push(`started ${key}`);
            return key === 'key';
          },
          streamStopped: key => void calls.push(`stopped ${key}`),
          streamKeyOf: id => (id === 'broadcast' ? 'key' : null),
        },
        reset: () => void calls.push('reset'),
      };
    },
  };

  return { definition, calls, host };
}

function fakeApp(host: SandboxHost): Hono {
  const app = new Hono();
  app.post('/api.x.com/2/tweets', async c => {
    const body: unknown = await c.req.json();
    const text = body !== null && typeof body === 'object' && 'text' in body ? String(body.text) : '';
    const id = String(host.posts('x').length + 1);
    host.publish({
      platform: 'x',
      account: 'demo',
      platform_post_id: id,
      platform_post_url: `https://x.com/demo/status/${id}`,
      kind: 'text',
      text,
      title: null,
      media: [],
      comments: [],
      fields: { text },
      published_at: new Date(host.now()).toISOString(),
    });
    return c.json({ data: { id, text } }, 201);
  });
  app.all('/api.x.com/echo/*', async c => {
    const body = Buffer.from(await c.req.arrayBuffer());
    c.header('set-cookie', 'a=1');
    c.header('set-cookie', 'b=2', { append: true });
    return c.json({
      method: c.req.method,
      url: c.req.url.replace(host.url, ''),
      headers: c.req.header(),
      body_base64: body.toString('base64'),
    });
  });
  app.post('/api.x.com/token', c =>
    c.json({
      access_token: 'secret-1',
      refresh_token: 'secret-2',
      token_type: 'bearer',
      next_token: 'page-2',
    }),
  );
  app.get('/media.cdn.example/bytes', c => c.text('cdn'));
  app.get('/api.x.com/bytes', c => c.body(Uint8Array.of(0, 255, 10), 200, { 'content-type': 'image/png' }));
  return app;
}

/** Starts a sandbox that plays only the fake platform, at a fixed time. */
export async function startFakeSandbox(options: Partial<SandboxOptions> = {}) {
  const platform = fakePlatform();
  const now = () => Date.parse('2026-03-02T10:00:00Z');
  const sandbox: Sandbox = await startSandbox({
    port: 0,
    now,
    definitions: { x: platform.definition },
    ...options,
  });
  const control = (method: string, path: string, body?: unknown) =>
    fetch(`${sandbox.url}/_control${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const api = `${sandbox.url}/x/api.x.com`;
  const tweet = (text: string, headers: Record<string, string> = {}) =>
    fetch(`${api}/2/tweets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ text }),
    });
  return { sandbox, platform, control, api, tweet };
}
