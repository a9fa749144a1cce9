import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import * as v from 'valibot';
import { mapOf } from '../../lib/bundle.ts';
import { ROOT } from '../../lib/dist.ts';

const SourceMapSchema = v.object({
  file: v.optional(v.string(), ''),
  version: v.number(),
  sources: v.array(v.string()),
  sourcesContent: v.optional(v.array(v.string()), []),
  names: v.array(v.string()),
  mappings: v.string(),
  sourceRoot: v.optional(v.string(), ''),
});

/** A place in a bundle, in a stack of Lambda or of the local stack. */
const PLACE = /(?:\/[^\s:()]*)?\/index\.js:(\d+):(\d+)/g;

/** The function of a log line is its `service`; all publishers share a bundle. */
const bundleOf = (line: string) =>
  /"service":"([\w-]+)"/.exec(line)?.[1]?.replace(/^publisher-.*/, 'publisher');

/** Returns log lines with the places in bundles replaced. `name`: the function of lines that do not name theirs. */
export function mapText(text: string, name?: string): string {
  const maps = new Map<string, SourceMap | null>();
  function mapFor(bundle: string): SourceMap | null {
    const map = maps.has(bundle) ? maps.get(bundle) : readMap(bundle);
    maps.set(bundle, map ?? null);
    return map ?? null;
  }
  return text
    .split('\n')
    .map(line => {
      const bundle = bundleOf(line) ?? name;
      const map = bundle === undefined ? null : mapFor(bundle);
      return bundle === undefined || map === null ? line : mapLine(line, bundle, map);
    })
    .join('\n');
}

/** Reads the source map of a bundle; null if there is none. */
function readMap(bundle: string): SourceMap | null {
  if (!existsSync(mapOf(bundle))) return null;
  const json: unknown = JSON.parse(readFileSync(mapOf(bundle), 'utf8'));
  return new SourceMap(v.parse(SourceMapSchema, json));
}

function mapLine(line: string, bundle: string, map: SourceMap): string {
  return line.replace(PLACE, (place, row: string, column: string) => {
    const origin = map.findOrigin(Number(row), Number(column));
    if (!('fileName' in origin)) return place;
    const file = relative(ROOT, join(mapOf(bundle), '..', origin.fileName));
    return `${file}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}
