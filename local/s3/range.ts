/** Bytes from `start` up to but excluding `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Parses a `Range` header (RFC 9110, 14): null for the whole file, `outside` if the range cannot be satisfied. */
export function parseRange(header: string | undefined, size: number): ByteRange | null | 'outside' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return size === 0 ? 'outside' : { start: Math.max(size - Number(last), 0), end: size };
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return null;
  return start < end ? { start, end } : 'outside';
}
