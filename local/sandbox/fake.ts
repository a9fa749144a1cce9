import { Hono } from 'hono';
import type { SandboxFactory, SandboxHost } from '../../shared/platforms/contract/sandbox.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from './index.ts';

/** A double with as little in it as the sandbox's own tests need: it publishes, echoes, and remembers orders. */
export function fakeDouble(): { sandbox: SandboxFactory; orders: string[]; host: () => SandboxHost } {
  const orders: string[] = [];
  let given: SandboxHost | null = null;
  const host = (): SandboxHost => {
    if (!given) throw new Error('The sandbox has not opened the double');
    return given;
  };

  const sandbox: SandboxFactory = opened => {
    given = opened;
    return {
      platform: 'x',
      app: fakeApp(opened),
      demo: { body: {} },
      tokens,
      reset: () => void orders.push('reset'),
    };
  };
  const tokens = (action: string, account: string | null) =>
    void orders.push(`${action} ${account ?? 'all'}`);

  return { sandbox, orders, host };
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
  app.get('/api.x.com/bytes', c => c.body(Uint8Array.of(0, 255, 10), 200, { 'content-type': 'image/png' }));
  return app;
}

/** A sandbox that plays nothing but the fake, at a time that stands still. */
export async function startFakeSandbox(options: Partial<SandboxOptions> = {}) {
  const double = fakeDouble();
  const now = () => Date.parse('2026-03-02T10:00:00Z');
  const sandbox: Sandbox = await startSandbox({ port: 0, now, doubles: { x: double.sandbox }, ...options });
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
  return { sandbox, double, control, api, tweet };
}
