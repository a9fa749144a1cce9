import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { errorsPage } from './errors.ts';
import { platformsPage } from './platforms.ts';
import { statusTable } from './status.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The part of README.md that is generated. */
const STATUS_PART = /(<!-- platforms: npm run docs -->\n)[\s\S]*?(\n<!-- \/platforms -->)/;

/** Returns the generated documents by their paths relative to the root of the project. */
export async function generatedPages(): Promise<Record<string, string>> {
  return {
    'docs/errors.md': await errorsPage(),
    'docs/platforms.md': await platformsPage(),
    'README.md': await readme(),
  };
}

async function readme(): Promise<string> {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  if (!STATUS_PART.test(text)) throw new Error('README.md has no part between the platforms comments');
  const status = await format(await statusTable(), { parser: 'markdown' });
  return text.replace(STATUS_PART, (_, start: string, end: string) => `${start}\n${status}${end}`);
}
