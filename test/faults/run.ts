import { parseArgs } from 'node:util';
import { exitOnSignals } from '../support/exit-on-signals.ts';

const HELP = `npm run test:faults [-- options]

Publishes posts through the whole local stack while faults are injected at platforms and AWS. Prints a report, and exits
with status 1 when a post was lost, published twice or recorded wrongly.

  --posts N     posts to publish with random faults (default 2000)
  --seed N      seed of all random choices (default: random; the report shows it)
  --quick       only the random rounds: without timeouts, restarts of the stack, and the faults that are left
  --density N   multiplies the faults of a random round, which are about one for each post (default 1)
  --help        this text
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    posts: { type: 'string', default: '2000' },
    quick: { type: 'boolean', default: false },
    density: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  exitOnSignals();
  const { runCampaign } = await import('./campaign.ts');
  const { tableOf } = await import('./report.ts');
  const report = await runCampaign({
    seed: Number(values.seed),
    posts: Number(values.posts),
    thorough: !values.quick,
    density: Number(values.density),
    log: line => console.log(line),
  });
  for (const diagnostics of report.diagnostics) console.log(`\nA post with violations:\n${diagnostics}`);
  console.log(`\n${tableOf(report)}`);
  if (report.violations.length > 0) {
    const options = `${values.quick ? ' --quick' : ''} --density ${values.density}`;
    console.log(
      `\nTo repeat: npm run test:faults -- --seed ${values.seed} --posts ${values.posts}${options}`,
    );
    process.exitCode = 1;
  }
}
