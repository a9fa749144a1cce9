/**
 * A hashtag in any script: `#` or its full-width form, followed by letters, marks, numbers and underscores that are not
 * all numbers. Not inside a word and not the fragment of a URL.
 */
const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&/#＃])[#＃](?=\p{N}*[\p{L}\p{M}_])([\p{L}\p{M}\p{N}_\u200c\u200d]+)/gu;

/** Returns the hashtags of a text as written, `#` included. */
export function hashtagsOf(text: string): string[] {
  return [...text.matchAll(HASHTAG)].map(([whole]) => whole);
}

/** Returns the form in which all spellings of a hashtag are equal: without `#`, case and compatibility variants. */
export function foldHashtag(hashtag: string): string {
  return hashtag
    .replace(/^[#＃]+/u, '')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}
