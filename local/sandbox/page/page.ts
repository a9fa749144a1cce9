import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';
import type { ControlParts } from '../control.ts';
import { richText } from './rich-text.ts';

const MOST = 100;

/** Only what this sandbox serves runs here; pictures may come from where a post says. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' https: http:",
  "media-src 'self' https: http:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

const FILES = { 'style.css': 'text/css; charset=utf-8', 'app.js': 'text/javascript; charset=utf-8' };

/** A post without the request behind it, its texts resolved. */
function shownPost(post: SandboxPost) {
  return {
    ...post,
    fields: undefined,
    text: richText(post, post.text ?? ''),
    comments: post.comments.map(({ text }) => richText(post, text)),
  };
}

interface Query {
  platform?: string;
  limit?: string;
}

/** The page that shows what was published and what receivers got, and its data. */
export function pageApp({ state, platforms, receivers }: ControlParts): Hono {
  /** Newest first; `platform` narrows, `limit` (100) widens. */
  function posts({ platform, limit }: Query) {
    const wanted = state.posts.filter(post => (platform || post.platform) === post.platform);
    const counts = Object.fromEntries(
      [...platforms.keys()].map(id => [id, state.posts.filter(post => post.platform === id).length]),
    );
    const newest = wanted.toReversed().slice(0, Number(limit) || MOST);
    return { counts, total: wanted.length, posts: newest.map(shownPost) };
  }

  function deliveries({ limit }: Query) {
    return { deliveries: receivers.read(Number(limit) || MOST) };
  }

  const app = new Hono();
  app.get('/', async c => c.html(await pageWith(posts(c.req.query())), 200, HEADERS));
  app.get('/receivers', async c => c.html(await pageWith(deliveries({})), 200, HEADERS));
  app.get('/_page/posts', c => c.json(posts(c.req.query())));
  app.get('/_page/deliveries', c => c.json(deliveries(c.req.query())));
  for (const [file, type] of Object.entries(FILES)) {
    app.get(`/_page/${file}`, async c => c.body(await own(file), 200, { ...HEADERS, 'content-type': type }));
  }
  return app;
}

/** The page with its first data in it, so that it is complete as soon as it is there. */
async function pageWith(data: unknown): Promise<string> {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return (await own('index.html')).replace(/(?<=<script id="first"[^>]*>)[^<]*/, () => json);
}

function own(file: string): Promise<string> {
  return readFile(new URL(file, import.meta.url), 'utf8');
}
