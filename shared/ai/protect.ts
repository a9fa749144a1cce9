/*
 * Links, mail addresses, mentions, hashtags and abbreviations are set aside before a text is cleaned, polished or split, so
 * that nothing within them changes. Every pattern takes time linear in the text: repetitions are bounded, or their
 * characters cannot begin another match.
 */

/** Ends a link in any language: white space, angle brackets, quotation marks and full-width punctuation. */
const NOT_IN_LINK = '\\s<>"«»“”„‹›‘。、！？，；：（）「」『』【】《》〈〉';
const LABEL = '[\\p{L}\\p{N}-]{1,63}';

const LINK = `https?:\\/\\/[^${NOT_IN_LINK}]+`;
const MAIL = `(?<![\\w.+%-])[\\w.+%-]{1,64}@${LABEL}(?:\\.${LABEL}){1,8}`;
/** Without a scheme. Too many matches (`a.m`, `3.5`) do no harm. */
const DOMAIN = `(?<![\\p{L}\\p{N}.@-])${LABEL}(?:\\.${LABEL}){1,8}(?:[/?#:][^${NOT_IN_LINK}]*)?`;
/** Mentions, hashtags and cashtags. */
const TAG = '(?<![\\p{L}\\p{N}_])[@＠#＃$][\\p{L}\\p{M}\\p{N}_][\\p{L}\\p{M}\\p{N}_.·-]*';

/** Words with a full stop that ends no sentence, in the languages of the writers. */
const ABBREVIATIONS =
  'abs art bzw ca dr etc evtl exkl ggf inkl max min mr mrs ms nr núm örn prof sr sra st str tel usw vb vgl vs';
const ABBREVIATION = `(?<![\\p{L}\\p{N}.])(?:(?:\\p{L}\\.\\s?){2,6}(?<!\\s)|(?:${ABBREVIATIONS.replaceAll(' ', '|')})\\.)(?![\\p{L}\\p{N}])`;

const LINKS = new RegExp(`${LINK}|${MAIL}|${DOMAIN}`, 'giu');
const PROTECTED = new RegExp(`${LINK}|${MAIL}|${ABBREVIATION}|${DOMAIN}|${TAG}`, 'giu');

/** Punctuation after a link that belongs to its sentence. */
const TRAILING = new Set(".,;:!?…'’*_~`|]}");

/** Characters of private use stand for what is set aside: no cleaner or splitter changes them. */
const FIRST_PLACEHOLDER = 0xf0000;
const MAX_PLACEHOLDERS = 0xfffd;
const PLACEHOLDER = /[\u{f0000}-\u{ffffd}]/gu;
const PRIVATE_USE = /[\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu;

export interface ProtectedText {
  /** The text with one character for each part that is set aside. */
  text: string;
  /** Puts the parts back into this text or a piece of it. */
  restore: (piece: string) => string;
}

/** Sets aside what must not change. Characters of private use are removed: no font shows them. */
export function protect(text: string, pattern: RegExp = PROTECTED): ProtectedText {
  const parts: string[] = [];
  const replaced = text.replace(PRIVATE_USE, '').replace(pattern, match => {
    const part = withoutTrailing(match);
    if (parts.length >= MAX_PLACEHOLDERS || part === '') return match;
    parts.push(part);
    return String.fromCodePoint(FIRST_PLACEHOLDER + parts.length - 1) + match.slice(part.length);
  });
  const partOf = (placeholder: string) => parts[(placeholder.codePointAt(0) ?? 0) - FIRST_PLACEHOLDER] ?? '';
  return { text: replaced, restore: piece => piece.replace(PLACEHOLDER, partOf) };
}

/** Applies a change to all of a text but what is set aside. */
export function changeUnprotected(text: string, change: (text: string) => string): string {
  const { text: replaced, restore } = protect(text);
  return restore(change(replaced));
}

/** Applies a change to all of a text but its links and mail addresses. */
export function changeOutsideLinks(text: string, change: (text: string) => string): string {
  const { text: replaced, restore } = protect(text, LINKS);
  return restore(change(replaced));
}

/** Removes the links for which the function returns true. */
export const removeLinks = (text: string, isUnwanted: (link: string) => boolean) =>
  text.replace(LINKS, link => (isUnwanted(link) ? '' : link));

/** Replaces links, mail addresses and mentions by spaces. */
export const withoutLinks = (text: string) =>
  text.replace(LINKS, ' ').replace(/[@＠][\p{L}\p{M}\p{N}_.]+/gu, ' ');

/** True for a text of nothing but links and mail addresses. */
export const isLinksOnly = (text: string) => text.replace(LINKS, '').trim() === '';

/** True for a text that ends with something that is set aside. */
export const endsProtected = (text: string) => /[\u{f0000}-\u{ffffd}]$/u.test(text);

/** Returns the part of a match that is not punctuation of the sentence; a closing bracket stays where it was opened. */
function withoutTrailing(match: string): string {
  if (/^[^/]*\.$/u.test(match)) return match;
  let end = match.length;
  let unopened = count(match, ')') - count(match, '(');
  for (;;) {
    const last = match.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!TRAILING.has(last)) return match.slice(0, end);
    end -= 1;
  }
}

const count = (text: string, sign: string) => text.split(sign).length - 1;
