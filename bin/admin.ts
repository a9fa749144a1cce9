import { parseArgs } from 'node:util';
import { COMMANDS, usage } from './admin/commands.ts';
import { findTarget } from './admin/target.ts';

/** `npm run admin -- <noun> <verb> [--option value …]`: commands for the operator. */
async function main(words: readonly string[]): Promise<void> {
  const [noun = '', verb = '', ...rest] = words;
  const command = COMMANDS.find(each => each.name === `${noun} ${verb}`);
  if (!command) throw new Error(usage());
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        command.options.map(({ name, repeatable = false }) => [
          name,
          { type: 'string' as const, multiple: repeatable },
        ]),
      ),
      data: { type: 'string' },
      'ready-file': { type: 'string' },
      stage: { type: 'string' },
      table: { type: 'string' },
    },
  });
  const given = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  const lists = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      Array.isArray(value) ? [[name, value.filter(each => typeof each === 'string')]] : [],
    ),
  );
  const missing = command.options.filter(({ name, required }) => required && !given[name]);
  if (missing.length > 0) {
    throw new Error(`Missing: ${missing.map(({ name }) => `--${name}`).join(', ')}\n\n${usage()}`);
  }
  const target = findTarget(given);
  console.log(await command.run({ target, options: given, lists, positionals }));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
