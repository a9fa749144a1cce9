import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import * as v from 'valibot';
import { mapOf } from '../../lib/bundle.ts';
import { bundleFolder, ROOT } from '../../lib/dist.ts';

const SourceMapSchema = v.object({
  file: v.optional(v.string(), ''),
  version: v.number(),
  sources: v.array(v.string()),
  sourcesContent: v.optional(v.array(v.string()), []),
  names: v.array(v.string()),
  mappings: v.string(),
  sourceRoot: v.optional(v.string(), ''),
});

/** A place in a file of a bundle, in a stack of Lambda or of the local stack. */
const PLACE = /(?:file:\/\/)?(?:\/[^\s:()]*)?\/([\w-]+\.js):(\d+):(\d+)/g;

/** The function of a log line is its `service`; all publishers share a bundle. */
const bundleOf = (line: string) =>
  /"service":"([\w-]+)"/.exec(line)?.[1]?.replace(/^publisher-.*/, 'publisher');

/** Returns log lines with the places in bundles replaced. `name`: the function of lines that do not name theirs. */
export function mapText(text: string, name?: string): string {
  const maps = new Map<string, SourceMap | null>();
  function mapAt(path: string): SourceMap | null {
    const map = maps.has(path) ? maps.get(path) : readMap(path);
    maps.set(path, map ?? null);
    return map ?? null;
  }
  return text
    .split('\n')
    .map(line => {
      const bundle = bundleOf(line) ?? name;
      return bundle === undefined ? line : mapLine(line, bundle, mapAt);
    })
    .join('\n');
}

/** Reads a source map; null if there is none. */
function readMap(path: string): SourceMap | null {
  if (!existsSync(path)) return null;
  const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new SourceMap(v.parse(SourceMapSchema, json));
}

function mapLine(line: string, bundle: string, mapAt: (path: string) => SourceMap | null): string {
  return line.replace(PLACE, (place, file: string, row: string, column: string) => {
    const origin = mapAt(mapOf(bundle, file))?.findOrigin(Number(row), Number(column));
    if (!origin || !('fileName' in origin)) return place;
    const source = relative(ROOT, join(bundleFolder(bundle), origin.fileName));
    return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}
