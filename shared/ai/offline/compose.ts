import { characters, fits } from '../../text/measure.ts';
import { cutToFit } from '../../text/truncate.ts';
import type { AiPlatform, Brief, Language, Tone } from '../brief.ts';
import { styleOf, textRules } from '../platform-style.ts';
import type { Chooser } from './chooser.ts';
import { keywordsOf, sentencesOf, wordsOf } from './keywords.ts';
import { TABLES } from './languages/index.ts';
import { polish } from './polish.ts';

/** Longest subject that stands within a sentence; a longer one gets a line of its own. Characters. */
const HEADLINE = 80;
const EMOJI: Readonly<Record<Tone, string>> = {
  casual: '✨',
  professional: '',
  funny: '😄',
  inspirational: '🌟',
  genz: '🔥',
  formal: '',
  friendly: '😊',
  poetic: '🌿',
};
/** Languages that put no space between two sentences. */
const UNSPACED: readonly Language[] = ['ja', 'zh'];

/** A caption about a topic. */
export function captionAbout(brief: Brief, platform: AiPlatform, choose: Chooser): string {
  const subject = headline(brief.source);
  const isShort = subject === bare(brief.source);
  const { middles } = TABLES[brief.language];
  const isLong = styleOf(platform).paragraphs;
  return arrange(brief, platform, [
    opening(brief, platform, subject, choose),
    isShort ? null : polish(brief.source, brief.language),
    isLong ? filled(brief.language, choose.pick(middles), subject) : null,
    closing(brief, choose),
  ]);
}

/** The weightiest sentences of a text, in their order, between an opening and a closing. */
export function repurposed(brief: Brief, platform: AiPlatform, choose: Chooser): string {
  const keywords = keywordsOf(brief.source, brief.language).slice(0, 2);
  const subject = keywords.length > 0 ? keywords.join(' & ') : headline(brief.source);
  const first = opening(brief, platform, subject, choose);
  const last = closing(brief, choose);
  const room = styleOf(platform).caption_length - first.length - last.length;
  return arrange(brief, platform, [
    first,
    gist(polish(brief.source, brief.language), brief.language, room),
    last,
  ]);
}

/** The same text without its slips; shortened by whole sentences where the platform has no room for it. */
export function improved(brief: Brief, platform: AiPlatform, choose: Chooser): string {
  const polished = polish(brief.source, brief.language);
  const rules = textRules(platform);
  if (!fits(polished, rules)) return gist(polished, brief.language, styleOf(platform).caption_length);
  const inviting = arrange(brief, platform, [polished, closing(brief, choose)]);
  return fits(inviting, rules) ? inviting : polished;
}

function opening({ language, tone }: Brief, platform: AiPlatform, subject: string, choose: Chooser): string {
  const sentence = filled(language, choose.pick(TABLES[language].tones[tone].openings), subject);
  const emoji = styleOf(platform).emojis ? EMOJI[tone] : '';
  return emoji === '' ? sentence : `${sentence} ${emoji}`;
}

const closing = ({ language, tone }: Brief, choose: Chooser) =>
  choose.pick(TABLES[language].tones[tone].closings);

/** A sentence begins with a capital, unless a name says otherwise (iPhone); within it `Our new …` is `our new …`. */
function filled(language: Language, template: string, subject: string): string {
  const [first = ''] = wordsOf(subject, language);
  const isName = !TABLES[language].stopwords.split(' ').includes(first);
  const inside = isName || template.startsWith('{') ? subject : lowered(subject, language);
  // A function, since the subject may hold `$&`.
  const text = template.replace('{topic}', () => inside);
  return /^\p{Ll}\p{Lu}/u.test(text) ? text : text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

const lowered = (text: string, language: Language) =>
  text.charAt(0).toLocaleLowerCase(language) + text.slice(1);

function arrange({ language }: Brief, platform: AiPlatform, parts: readonly (string | null)[]): string {
  const paragraphs = styleOf(platform).paragraphs;
  const between = paragraphs ? '\n\n' : UNSPACED.includes(language) ? '' : ' ';
  return parts.filter(part => part !== null).join(between);
}

const bare = (text: string) =>
  text
    .replace(/\s+/gu, ' ')
    .replace(/[\s.,;:!?。！？、]+$/u, '')
    .trim();

/** A topic as part of a sentence: on one line, without an end mark, not too long. */
const headline = (topic: string) => cutToFit(bare(topic), [characters(HEADLINE)]);

/** Sentences with the most of the text's keywords, as many as make up `aim` characters; at least one. */
function gist(text: string, language: Language, aim: number): string {
  const weights = new Map(keywordsOf(text, language).map((word, index) => [word, 1 / (index + 1)]));
  const sentences = sentencesOf(text, language).map((sentence, index) => ({
    sentence,
    index,
    weight: weightOf(sentence, language, weights),
  }));
  const kept: typeof sentences = [];
  let length = 0;
  for (const each of [...sentences].sort((a, b) => b.weight - a.weight)) {
    if (kept.length > 0 && length + each.sentence.length > aim) continue;
    kept.push(each);
    length += each.sentence.length + 1;
  }
  const inOrder = kept.sort((a, b) => a.index - b.index).map(({ sentence }) => sentence);
  return inOrder.join(UNSPACED.includes(language) ? '' : ' ');
}

/** By the root of its length: neither the longest nor the shortest wins by that alone. */
function weightOf(sentence: string, language: Language, weights: ReadonlyMap<string, number>): number {
  const words = wordsOf(sentence, language);
  const sum = words.reduce((total, word) => total + (weights.get(word) ?? 0), 0);
  return sum / Math.sqrt(Math.max(1, words.length));
}
