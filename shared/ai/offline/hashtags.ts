import type { Brief, Language } from '../brief.ts';
import type { Chooser } from './chooser.ts';
import { keywordsOf, wordsOf } from './keywords.ts';
import { TABLES } from './languages/index.ts';

/** Keywords that become hashtags, and those of them that are combined with endings. */
const MAX_KEYWORDS = 10;
const COMBINED = 1;
/** A topic of up to this many words is a hashtag as a whole. */
const MAX_WORDS = 4;
/** Prepositions within a phrase: `pain au levain`, `pão de queijo`. */
const LINKING: ReadonlySet<string> = new Set('de del da do dos das du des au aux à of'.split(' '));
const ARTICLES: ReadonlySet<string> = new Set('the a an el la los las le les o os as der die das'.split(' '));

/** Returns hashtags of a subject, the best first. General ones belong to no particular post, so a caption gets none. */
export function hashtagsFor(brief: Brief, choose: Chooser): string[] {
  const own = subjectHashtags(brief);
  const candidates = brief.type === 'hashtags' ? [...own, ...generalHashtags(brief, own, choose)] : own;
  return candidates.map(word => `#${word}`);
}

function subjectHashtags({ source, context, language }: Brief): string[] {
  const keywords = keywordsOf(`${source}\n${context ?? ''}`, language).slice(0, MAX_KEYWORDS);
  const phrase = phraseOf(source, language, new Set(keywords));
  if (phrase.length === 0) return keywords;
  const whole = phrase.join(language === 'ar' ? '_' : '');
  // The words of `pan de masa madre` mean something else by themselves, but for the first.
  const parts = phrase.some(word => LINKING.has(word)) ? phrase.slice(1) : [];
  return [whole, ...keywords.filter(word => !parts.includes(word))];
}

/** More than a request can ask for. An ending does not suit every word, so combinations come last. */
function generalHashtags({ language }: Brief, own: readonly string[], choose: Chooser): string[] {
  const { endings, hashtags } = TABLES[language];
  const general = rotated(hashtags.split(' '), choose);
  const combine = (stems: readonly string[]) =>
    endings.split(' ').flatMap(ending => stems.map(stem => stem + ending));
  return [...general, ...combine(own.slice(0, COMBINED)), ...combine(general.slice(0, 2))];
}

/** The words of a short topic that is one phrase: no sentence, no link. Articles before it do not count. */
function phraseOf(source: string, language: Language, keywords: ReadonlySet<string>): string[] {
  const words = wordsOf(source, language);
  const phrase = words.slice(ARTICLES.has(words[0] ?? '') ? 1 : 0);
  const meaningful = phrase.filter(word => keywords.has(word));
  const isPhrase =
    meaningful.length > 1 &&
    phrase.length <= MAX_WORDS &&
    phrase.every((word, index) => keywords.has(word) || (index > 0 && LINKING.has(word))) &&
    /^[\p{L}\p{M}\p{N}\s&-]+$/u.test(source.trim());
  return isPhrase ? phrase : [];
}

/** Returns the list starting at a chosen position, so that posts carry different hashtags. */
function rotated(items: readonly string[], choose: Chooser): string[] {
  const start = choose.pick([...items.keys()]);
  return [...items.slice(start), ...items.slice(0, start)];
}
