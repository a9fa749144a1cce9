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

/** As `npm run bench -- cost` measures it. */
const POST = {
  read_units: 21.4,
  write_units: 27.6,
  schedules: 0,
  dispatch: 0,
  publish: 3,
  publisher_mb: publisherMb(['x', 'facebook', 'linkedin']),
  events: 0,
  further_receives: 0,
};

test('a thousand text posts to three platforms cost what docs/cost.md says', () => {
  const prices = Object.entries(costsOf(POST)).filter(([, price]) => price > 0);
  const together = prices.reduce((sum, [, price]) => sum + price, 0);
  const page = readFileSync(new URL('../docs/cost.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
  for (const [what, price] of [...prices, ['Together', together] as const]) {
    expect(page).toMatch(new RegExp(`\\| ${what} \\|[^|]*\\| ${price.toFixed(4)} \\|`));
  }
});
