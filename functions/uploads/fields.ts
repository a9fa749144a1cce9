import * as v from 'valibot';
import type { Detail } from '../../shared/http/errors.ts';

const MAX_NAME = 255;

export const profileName = v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty'));

/**
 * The name of a file, as data: what stands behind the last slash of a path, without what does not show. It is part of no
 * key, so whatever it holds does no harm.
 */
export function cleanName(name: string, fallback = 'file'): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const shown = last.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim();
  const short = Array.from(shown).slice(0, MAX_NAME).join('');
  return /^\.*$/.test(short) ? fallback : short;
}

export const fault = (field: string, message: string): Detail => ({ field, message, platform: null });
