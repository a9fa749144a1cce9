/**
 * A hashtag in any script: `#`, or its full-width form, and letters, marks, numbers or underscores, at least one of
 * them no number. Not inside a word, and not the fragment of a URL.
 */
const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&/#＃])[#＃](?=\p{N}*[\p{L}\p{M}_])([\p{L}\p{M}\p{N}_\u200c\u200d]+)/gu;

/** The hashtags of a text as they were written, `#` included. */
export function hashtagsOf(text: string): string[] {
  return [...text.matchAll(HASHTAG)].map(([whole]) => whole);
}

/** The form in which two spellings of a hashtag are the same: no `#`, no case, no compatible variants. */
export function foldHashtag(hashtag: string): string {
  return hashtag
    .replace(/^[#＃]+/u, '')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}
