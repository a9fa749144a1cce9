import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { SandboxPost } from '../../../shared/platforms/sandbox-kit.ts';
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

const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/receivers': ['index.html', 'text/html; charset=utf-8'],
  '/_page/style.css': ['style.css', 'text/css; charset=utf-8'],
  '/_page/app.js': ['app.js', 'text/javascript; charset=utf-8'],
} as const;

/** A post without the request behind it, its texts resolved. */
function shownPost(post: SandboxPost) {
  return {
    ...post,
    fields: undefined,
    text: richText(post, post.text ?? ''),
    comments: post.comments.map(({ text }) => richText(post, text)),
  };
}

/** The page that shows what was published, and its data. */
export function pageApp({ state, platforms, receivers }: ControlParts): Hono {
  const app = new Hono();
  for (const [path, [file, type]] of Object.entries(FILES)) {
    app.get(path, async c =>
      c.body(await readFile(new URL(file, import.meta.url), 'utf8'), 200, {
        'content-type': type,
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      }),
    );
  }

  /** Newest first; `?platform=` narrows, `?limit=` (100) widens. */
  app.get('/_page/posts', c => {
    const { platform, limit } = c.req.query();
    const posts = state.posts.filter(post => (platform || post.platform) === post.platform);
    const counts = Object.fromEntries(
      [...platforms.keys()].map(id => [id, state.posts.filter(post => post.platform === id).length]),
    );
    const newest = posts.toReversed().slice(0, Number(limit) || MOST);
    return c.json({
      counts,
      total: posts.length,
      posts: newest.map(shownPost),
    });
  });

  app.get('/_page/deliveries', c =>
    c.json({ deliveries: receivers.read(Number(c.req.query('limit')) || MOST) }),
  );

  return app;
}
