import { characterBefore } from './characters.ts';

/** Returns a text without the characters at its end that match `pattern`, in linear time (`/x+$/` is quadratic). */
export function withoutTrailing(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const last = characterBefore(text, end);
    if (!pattern.test(last)) break;
    end -= last.length;
  }
  return text.slice(0, end);
}
