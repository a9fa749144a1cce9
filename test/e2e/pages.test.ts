import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { closeStack, create, finalPost, listen, media } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
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
  stack = await sharedStack();
  await listen(stack, `pages-${stack.workspace_id}`);
  const description = 'Seen in a browser https://example.com/a #news';
  const post = { platforms: ['bluesky', 'facebook'], post_type: 'image', description };
  await finalPost(stack, await create(stack, { ...post, media_urls: [media(stack, 'photo.jpg')] }));
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

/** Starts the browser with the first page. */
async function open(view: BrowserContextOptions): Promise<Page> {
  browser ??= await chromium.launch({
    executablePath: '/usr/bin/chromium',
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
const KEEP_SOME = `document.querySelectorAll('section.operation').forEach((each, index) => index % 15 && each.remove())`;

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
