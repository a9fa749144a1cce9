import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';
import type { PlatformId } from '../../../shared/model/platform.ts';
import type { ControlParts } from '../control.ts';
import type { PlayedPlatforms } from '../played.ts';
import { groupsOf, type Group } from './groups.ts';
import { richText } from './rich-text.ts';

const DEFAULT_LIMIT = 100;

/** Scripts and styles come from this sandbox only; media also from the URLs of posts. */
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

interface PageBadge {
  id: PlatformId;
  name: string;
  letters: string;
}

interface Query {
  platform?: string;
  limit?: string;
}

/** Serves the page of published posts and webhook deliveries, and its data. */
export function pageApp({ state, platforms, receivers, overview }: ControlParts): Hono {
  const badges = [...platforms].map(([id, { definition }]): PageBadge => {
    const { name, letters } = definition.badge;
    return { id, name, letters };
  });

  /** A post with linked texts and without the original request. */
  function postView(post: SandboxPost) {
    const definition = platforms.get(post.platform)?.definition ?? {};
    return {
      ...post,
      fields: undefined,
      text: richText(definition, post, post.text ?? ''),
      comments: post.comments.map(({ text }) => richText(definition, post, text)),
    };
  }

  const groupView = (group: Group) => ({
    ...group,
    destinations: group.destinations.map(each => ({ ...each, post: each.post && postView(each.post) })),
  });

  /** Newest posts first, optionally those of one platform. */
  async function posts({ platform, limit }: Query) {
    const all = groupsOf(state.posts.all().toReversed(), await overview());
    const isOn = (group: Group, id: string) => group.destinations.some(each => each.platform === id);
    const matching = all.filter(group => !platform || isOn(group, platform));
    const counts = Object.fromEntries(
      [...platforms.keys()].map(id => [id, all.filter(group => isOn(group, id)).length]),
    );
    const newest = matching.slice(0, Number(limit) || DEFAULT_LIMIT);
    return {
      platforms: badges,
      counts,
      all: all.length,
      total: matching.length,
      groups: newest.map(groupView),
    };
  }

  function deliveries({ limit }: Query) {
    return { deliveries: receivers.recent(Number(limit) || DEFAULT_LIMIT) };
  }

  const app = new Hono();
  app.get('/', async c => c.html(await pageWith(await posts(c.req.query())), 200, HEADERS));
  app.get('/receivers', async c => c.html(await pageWith(deliveries({})), 200, HEADERS));
  app.get('/_page/posts', async c => c.json(await posts(c.req.query())));
  app.get('/_page/deliveries', c => c.json(deliveries(c.req.query())));
  app.get('/_page/badges.css', c =>
    c.body(badgeStyles(platforms), 200, { ...HEADERS, 'content-type': FILES['style.css'] }),
  );
  for (const [file, type] of Object.entries(FILES)) {
    app.get(`/_page/${file}`, async c => c.body(await own(file), 200, { ...HEADERS, 'content-type': type }));
  }
  return app;
}

function badgeStyles(platforms: PlayedPlatforms): string {
  const rules = [...platforms].map(([id, { definition }]) => {
    const { color, darkColor = color } = definition.badge;
    return `.badge.${id} { background: light-dark(${color}, ${darkColor}); }\n`;
  });
  return rules.join('');
}

/** The page with its initial data embedded, so that it is complete when it loads. */
async function pageWith(data: unknown): Promise<string> {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return (await own('index.html')).replace(/(?<=<script id="first"[^>]*>)[^<]*/, () => json);
}

function own(file: string): Promise<string> {
  return readFile(new URL(file, import.meta.url), 'utf8');
}
