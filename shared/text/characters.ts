/** Returns the character that ends before a UTF-16 index, a surrogate pair as one; empty at the start of the text. */
export function characterBefore(text: string, index: number): string {
  if (index === 0) return '';
  const isPair =
    /[\udc00-\udfff]/.test(text.charAt(index - 1)) && /[\ud800-\udbff]/.test(text.charAt(index - 2));
  return text.slice(index - (isPair ? 2 : 1), index);
}
