import { v5, v7 } from 'uuid';

/** Namespace of every id that is derived instead of drawn (drawn once for this service). */
const NAMESPACE = '6f0d4f0e-5c0b-4d57-9a3e-0a1f6cbb8d11';

/** A UUID v7: sorts by creation time. `now` is epoch milliseconds. */
export function newId(now: number = Date.now()): string {
  return v7({ msecs: now });
}

/** What sorts before each UUID v7 of this time or later, and behind each earlier one. `epochMs`: milliseconds. */
export function idsFrom(epochMs: number): string {
  const hex = epochMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}

/** The same parts always give the same UUID (v5), so that a repetition can be recognised. */
export function derivedId(...parts: readonly (string | number)[]): string {
  return v5(JSON.stringify(parts), NAMESPACE);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
