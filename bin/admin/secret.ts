import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * Reads a secret: typed at a prompt that does not show it, or the standard input where that is no terminal. Throws an error for
 * the operator where it is empty.
 */
export async function readSecret(what: string): Promise<string> {
  const given = process.stdin.isTTY ? await typed(what) : await text(process.stdin);
  const secret = given.trim();
  if (secret === '')
    throw new Error(`The ${what} is empty. Type it at the prompt, or pass it as standard input`);
  return secret;
}

async function typed(what: string): Promise<string> {
  process.stderr.write(`${what} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  prompt.once('SIGINT', () => process.exit(130));
  try {
    return await prompt.question('');
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}
