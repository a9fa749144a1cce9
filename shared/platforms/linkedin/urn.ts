import * as v from 'valibot';

/** A URN in a path or a query value. */
export const encodeUrn = (urn: string) => encodeURIComponent(urn);

/** A list of Rest.li 2.0: its parentheses and commas must not be encoded. */
export const encodeList = (values: readonly string[]) => `List(${values.map(encodeURIComponent).join(',')})`;

/** Returns the schema of URNs of these types. */
export const urnOf = (...types: string[]) =>
  v.pipe(v.string(), v.regex(new RegExp(`^urn:li:(?:${types.join('|')}):[\\w()~,:-]+$`)));

/** The URN of a post. Which of the two types a post gets is LinkedIn's choice. */
const POST_URN = /urn:li:(?:share|ugcPost):\d+/;

/** Returns the first URN of a post in a text, or null. */
export const findPostUrn = (text: string): string | null => POST_URN.exec(text)?.[0] ?? null;

export const postUrl = (urn: string) => `https://www.linkedin.com/feed/update/${urn}/`;

export const personUrn = (id: string) => `urn:li:person:${id}`;
