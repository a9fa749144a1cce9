import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { costsOf, publisherMb } from '../test/bench/post-cost.ts';
import { dollars, gross, idleCosts, net, POLLS } from '../test/support/idle-cost.ts';
import { synthesize } from '../test/support/template.ts';

const costs = idleCosts(synthesize());
const platform = { what: 'Polls of a publish queue', unit: 'sqs_request', quantity: POLLS } as const;

describe('a deployment without connections', () => {
  test('costs less than a dollar a month at list price, and 0.25 after the free tier', () => {
    expect(gross(costs)).toBeLessThan(1);
    expect(net(costs)).toBeLessThan(0.25);
  });

  test('costs at most 0.26 dollars more for each connected platform', () => {
    expect(dollars(platform)).toBeLessThanOrEqual(0.26);
  });

  test('costs what docs/cost.md says', () => {
    const rows = [
      ...costs.map(cost => [cost.what, dollars(cost)] as const),
      ['Together', gross(costs)] as const,
      ['After the free tier', net(costs)] as const,
      [platform.what, dollars(platform)] as const,
    ].map(([what, price]) => `| ${what} | ${price.toFixed(4)} |`);
    const page = readFileSync(new URL('../docs/cost.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
    expect(rows.filter(row => !page.includes(row))).toEqual([]);
  });
});

/** As `npm run bench -- cost` measures them. */
const ALONE = {
  read_units: 19,
  write_units: 15.4,
  schedules: 0,
  dispatch: 0,
  publish: 3,
  publisher_mb: publisherMb(['x', 'facebook', 'linkedin']),
  events: 0,
  further_receives: 0,
};
const WITH_WEBHOOK = { ...ALONE, read_units: 23.5, write_units: 21.4, events: 3 };
const SCHEDULED = { ...ALONE, read_units: 20, write_units: 15.2, schedules: 1, dispatch: 1 };
/** Dollars; without a webhook, with one, and scheduled without one. */
const LIMITS = [0.03, 0.04, 0.03];

test('a thousand text posts to three platforms cost what docs/cost.md says', () => {
  const [alone, withWebhook, scheduled] = [costsOf(ALONE), costsOf(WITH_WEBHOOK), costsOf(SCHEDULED)];
  const page = readFileSync(new URL('../docs/cost.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
  const sum = (prices: Record<string, number>) =>
    Object.values(prices).reduce((all, price) => all + price, 0);
  const columns = [alone, withWebhook, scheduled];
  expect(columns.map((prices, index) => sum(prices) <= LIMITS[index]!)).toEqual([true, true, true]);
  const rows = Object.keys(alone).map(what => [what, ...columns.map(prices => prices[what]!)] as const);
  for (const [what, ...prices] of [...rows, ['Together', ...columns.map(sum)] as const]) {
    const cells = prices.map(price => price.toFixed(4)).join(' \\| ');
    expect(page).toMatch(new RegExp(`\\| ${what} \\|[^|]*\\| ${cells} \\|`));
  }
});
