const MAX_NAME = 255;

/**
 * Returns a file name without its path and invisible characters. The name is never part of a key, so that no other
 * character does harm.
 */
export function cleanName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim();
  const short = Array.from(visible).slice(0, MAX_NAME).join('');
  return /^\.*$/.test(short) ? 'file' : short;
}
