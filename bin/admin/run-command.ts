import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { findCommand, usage } from './commands.ts';
import { findTarget, TARGET_OPTIONS } from './find-target.ts';

/** Runs `<command> [--option value …]` and returns the text to print. Throws an error with a message for the operator. */
export async function runCommand(words: readonly string[]): Promise<string> {
  const found = findCommand(words);
  if (!found) throw new Error(usage());
  const { command, rest } = found;
  const { options, lists, positionals } = parseWords(command, rest);
  const missing = command.options.filter(({ name, required }) => required && !options[name]);
  if (missing.length > 0) {
    throw new Error(`Missing: ${missing.map(({ name }) => `--${name}`).join(', ')}\n\n${usage()}`);
  }
  const target = await findTarget(options);
  return command.run({ target, options, lists, positionals });
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
