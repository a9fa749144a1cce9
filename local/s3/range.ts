/** Bytes `start` up to but not including `end`. */
export interface Span {
  start: number;
  end: number;
}

/** The part of a file that a `Range` header asks for; null: all of it; `outside`: nothing is there (RFC 9110, 14). */
export function spanOf(header: string | undefined, size: number): Span | null | 'outside' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return size === 0 ? 'outside' : { start: Math.max(size - Number(last), 0), end: size };
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return null;
  return start < end ? { start, end } : 'outside';
}
