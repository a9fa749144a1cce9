import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { tableOf } from './report.ts';

/*
 * `npm run test:faults -- --seed N --posts N`: posts in bad weather over the whole local stack. The seed makes every
 * choice; without one it is drawn and told. Ends with a table, and with an error when anything is not as it must be.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    posts: { type: 'string', default: '2000' },
    quick: { type: 'boolean', default: false },
  },
});

const report = await runCampaign({
  seed: Number(values.seed),
  posts: Number(values.posts),
  thorough: !values.quick,
  say: line => console.log(line),
});
for (const story of report.stories) console.log(`\nThe story of a post that went wrong:\n${story}`);
console.log(`\n${tableOf(report)}`);
if (report.violations.length > 0) {
  console.log(`\nAgain: npm run test:faults -- --seed ${values.seed} --posts ${values.posts}`);
  process.exitCode = 1;
}
