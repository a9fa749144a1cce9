/** Returns the `Link` header with the URL of the next page, for lists whose body is a plain array. */
export function nextPageLink(
  address: string,
  query: Readonly<Record<string, string | number | undefined>>,
): { link: string } {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) next.set(name, String(value));
  }
  return { link: `<${address}?${next.toString()}>; rel="next"` };
}
