/** Returns a text without the characters at its end that match `pattern`, in linear time (`/x+$/` is quadratic). */
export function withoutTrailing(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0) {
    const isPair =
      /[\udc00-\udfff]/.test(text.charAt(end - 1)) && /[\ud800-\udbff]/.test(text.charAt(end - 2));
    const start = end - (isPair ? 2 : 1);
    if (!pattern.test(text.slice(start, end))) break;
    end = start;
  }
  return text.slice(0, end);
}
