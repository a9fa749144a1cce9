import { v5, v7 } from 'uuid';

/** Namespace of all derived ids of this service. */
const NAMESPACE = '6f0d4f0e-5c0b-4d57-9a3e-0a1f6cbb8d11';

/** Returns a new UUID v7, which sorts by creation time. `now`: epoch milliseconds. */
export function newId(now: number = Date.now()): string {
  return v7({ msecs: now });
}

/** Returns a prefix that sorts after every UUID v7 created before `epochMs` and before every later one. */
export function idsFrom(epochMs: number): string {
  const hex = epochMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}

/** Returns the UUID v5 of some parts: equal parts give equal ids, so that repetitions can be recognised. */
export function derivedId(...parts: readonly (string | number)[]): string {
  return v5(JSON.stringify(parts), NAMESPACE);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Whether a path parameter of this name is the id of a resource, a UUID. */
export const isIdName = (name: string): boolean => /(^|_)id$/.test(name);

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
