import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { closeStack, create, finalPost, media, startObserved } from '../support/e2e.ts';
import { platformFields } from '../support/platform-fields.ts';
import type { TestStack } from '../support/stack.ts';
import { testWith } from '../support/tools.ts';

/*
 * Every page in a browser: no accessibility fault, nothing from another host, no error in its scripts, and nothing wider
 * than the screen.
 */

const withChromium = testWith('chromium');

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  'phone in dark mode': { ...PHONE, colorScheme: 'dark' },
};

let stack: TestStack;
let browser: Browser | null = null;
let pages: Record<string, string>;
beforeAll(async () => {
  // A stack of its own: posts of other tests would be checked, too.
  ({ stack } = await startObserved());
  await publishEverywhere();
  const connect = await stack.api('POST', '/integrations/linkedin/connect', { profile_name: 'Demo' });
  const consent: string = connect.body.authorize_url;
  const allowed = await fetch(`${consent}&auto=allow`, { redirect: 'manual' });
  pages = {
    reference: `${stack.base_url}/docs`,
    errors: `${stack.base_url}/docs/errors`,
    sandbox: stack.sandbox_url,
    receivers: `${stack.sandbox_url}/receivers`,
    consent,
    callback: allowed.headers.get('location')!,
  };
});
afterAll(async () => {
  await browser?.close();
  await closeStack(stack);
});

/** Posts with links, pictures and a video, on every platform. */
async function publishEverywhere(): Promise<void> {
  const description = 'Seen in a browser https://example.com/a #news';
  const file = (name: string) => ({ media_urls: [media(stack, name)] });
  const withPictures = PLATFORM_IDS.filter(platform => platform !== 'youtube' && platform !== 'snapchat');
  const fields = platformFields('image', withPictures);
  const posts = [
    { platforms: ['x', 'linkedin', 'bluesky', 'telegram'], description },
    { platforms: withPictures, post_type: 'image', description, ...file('photo.jpg'), ...fields },
    { platforms: ['youtube', 'snapchat'], post_type: 'video', description, ...file('clip.mp4') },
  ];
  const [first = ''] = await Promise.all(posts.map(post => create(stack, post)));
  await finalPost(stack, first);
}

const pathOf = (program: string) => execFileSync('which', [program], { encoding: 'utf8' }).trim();

/** Starts the browser with the first page. */
async function open(view: BrowserContextOptions): Promise<Page> {
  browser ??= await chromium.launch({
    executablePath: pathOf('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
  const context = await browser.newContext(view);
  return context.newPage();
}

/** Records what a page does wrong while it loads. */
function watch(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('request', request => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && !/^(127\.0\.0\.1|localhost)$/.test(hostname))
      problems.push(request.url());
  });
  return problems;
}

/** All operations of the reference come from one template: some of them show its faults in a fraction of the time. */
const KEEP_SOME = `document.querySelectorAll('section.operation').forEach((each, index) => index % 30 && each.remove())`;

async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(KEEP_SOME);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

describe.each(Object.entries(VIEWS))('on a %s', (title, view) => {
  withChromium.each(['reference', 'errors', 'sandbox', 'receivers', 'consent', 'callback'])(
    'the page %s is accessible, fits, and needs nothing from outside',
    async name => {
      const page = await open(view);
      const problems = watch(page);
      await page.goto(pages[name]!, { waitUntil: 'load' });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: join(folder, `${name} on a ${title}.png`) });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );
});
