import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { findCommand, usage } from './commands.ts';
import { findTarget, TARGET_OPTIONS } from './find-target.ts';

/** Runs `<command> [--option value …]` and returns the text to print. Throws an error with a message for the operator. */
export async function runCommand(words: readonly string[]): Promise<string> {
  if (words.some(word => word === '--help' || word === '-h')) return usage();
  const found = findCommand(words);
  if (!found) throw new Error(usage());
  const { command, rest } = found;
  const { options, lists, positionals } = parseWords(command, rest);
  const unexpected = positionals.slice(command.words ?? 0);
  if (unexpected.length > 0) throw new Error(`Unexpected: ${unexpected.join(' ')}\n\n${usage()}`);
  const missing = command.options.filter(({ name, required }) => required && !options[name]);
  if (missing.length > 0) {
    throw new Error(`Missing: ${missing.map(({ name }) => `--${name}`).join(', ')}\n\n${usage()}`);
  }
  try {
    const target = await findTarget(options);
    return await command.run({ target, options, lists, positionals });
  } catch (error) {
    throw withAdvice(error);
  }
}

/** Adds what to do to an error of the AWS SDK about the environment. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!/^(Region is missing|Could not load credentials)/.test(error.message)) return error;
  const advice = 'Choose them with --region REGION and --profile PROFILE, or in the environment';
  return new Error(`${error.message}. ${advice}`, { cause: error });
}

function parseWords(command: Command, args: string[]) {
  if (args.some(each => each.startsWith('--client-secret'))) throw new Error(NO_SECRETS);
  const known: Record<string, { type: 'string'; multiple?: boolean }> = {};
  for (const name of TARGET_OPTIONS) known[name] = { type: 'string' };
  for (const { name, repeatable = false } of command.options) {
    known[name] = { type: 'string', multiple: repeatable };
  }
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: known });
  const options: Record<string, string> = {};
  const lists: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') options[name] = value;
    if (Array.isArray(value)) lists[name] = value.filter(each => typeof each === 'string');
  }
  return { options, lists, positionals };
}

const NO_SECRETS =
  'The client secret is not an option: the history of the shell and the list of processes would show it. Leave it out; the ' +
  'command asks for it, or reads it from standard input: npm run --silent admin -- platform set x --client-id ID < secret.txt';
