import * as v from 'valibot';
import type { ValidationDetail } from '../../shared/http/errors.ts';

const MAX_NAME = 255;

export const profileName = v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty'));

/**
 * Returns a file name without its path and invisible characters. The name is never part of a key, so that no other
 * character does harm.
 */
export function cleanName(name: string, fallback = 'file'): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim();
  const short = Array.from(visible).slice(0, MAX_NAME).join('');
  return /^\.*$/.test(short) ? fallback : short;
}

export const fieldError = (field: string, message: string): ValidationDetail => ({
  field,
  message,
  platform: null,
});
