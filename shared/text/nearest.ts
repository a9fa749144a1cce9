/** Returns the known name with the smallest edit distance where it is close enough for a typo; else null. */
export function nearestName(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 4));
  for (const candidate of known) {
    // The edit distance is at least the difference of the lengths.
    if (Math.abs(candidate.length - name.length) > least) continue;
    const distance = editDistance(name, candidate);
    if (distance < least || (distance === least && best === null)) [best, least] = [candidate, distance];
  }
  return best;
}

/** Returns the Levenshtein distance, computed row by row. */
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
