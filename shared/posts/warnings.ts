import type { PlatformId } from '../model/platform.ts';
import { RULES } from '../platforms/registry.ts';

/** Something that was accepted but may not be what the caller meant. */
export interface Warning {
  code: 'UNKNOWN_FIELD' | 'IGNORED_FIELD';
  message: string;
  field: string;
}

/** A field that no part of the service knows, with the nearest name that it does know. */
export function unknownFieldWarnings(unknown: readonly string[], known: readonly string[]): Warning[] {
  return unknown.map(field => {
    const near = nearest(field, known);
    const hint = near === null ? '' : `; did you mean ${near}?`;
    return { code: 'UNKNOWN_FIELD', field, message: `The field is not known and was ignored${hint}` };
  });
}

/** Platform fields that were sent although their platform is not among the destinations. */
export function ignoredFieldWarnings(
  sent: Record<string, unknown>,
  platforms: readonly PlatformId[],
): Warning[] {
  return Object.values(RULES)
    .filter(rules => !platforms.includes(rules.platform))
    .flatMap(rules => Object.keys(rules.options).filter(name => sent[name] !== undefined))
    .map(field => ({
      code: 'IGNORED_FIELD',
      field,
      message: 'The field belongs to a platform that is not listed in platforms',
    }));
}

/** The known name at the smallest edit distance, when it is close enough to be a slip. */
function nearest(name: string, known: readonly string[]): string | null {
  const ranked = known
    .map(candidate => ({ candidate, distance: editDistance(name.slice(0, 64), candidate) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return ranked && ranked.distance <= Math.max(2, name.length / 4) ? ranked.candidate : null;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
