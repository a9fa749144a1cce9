import { fits } from '../../text/measure.ts';
import { isBlank } from '../../text/normalize.ts';
import type { AiPlatform, Brief, Language, Tone } from '../brief.ts';
import { splitTrailingHashtags } from '../hashtags.ts';
import { styleOf, textRules } from '../platform-style.ts';
import { isLinksOnly } from '../protect.ts';
import type { Chooser } from './chooser.ts';
import { keywordsOf, sentencesOf, wordsOf } from './keywords.ts';
import { TABLES } from './languages/index.ts';
import { polish, polishHeadline } from './polish.ts';
import { isQuestion } from './question.ts';

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
const FORMAL_TONES: ReadonlySet<Tone> = new Set(['professional', 'formal']);
/** Languages that put no space between two sentences. */
const UNSPACED: ReadonlySet<Language> = new Set(['ja', 'zh']);

/**
 * Writes a caption about a topic. The topic stands by itself, in the user's words: as part of a sentence it would have to
 * be a noun in the right case. Sentences of the tone follow.
 */
export function captionAbout(brief: Brief, platform: AiPlatform, choose: Chooser): string {
  const plain = headline(brief);
  const topic = withEmoji(plain, brief, platform);
  if (isQuestion(plain, brief.language)) {
    return firstFitting(brief, platform, [[topic, answer(brief, choose)], [topic]]);
  }
  const { lines, closings } = TABLES[brief.language].tones[brief.tone];
  const [line, closing] = [choose.pick(lines), choose.pick(closings)];
  if (isLinksOnly(plain)) {
    const introduced = `${TABLES[brief.language].links[register(brief)]}\n${plain}`;
    return firstFitting(brief, platform, [
      [introduced, withEmoji(closing, brief, platform)],
      [introduced],
      [plain],
    ]);
  }
  // A call such as `Visit us!` needs no other one after it.
  if (/[!！]$/u.test(plain)) return firstFitting(brief, platform, [[topic, line], [topic]]);
  return firstFitting(brief, platform, [[topic, line, closing], [topic, closing], [topic]]);
}

/** Rewrites a text for a platform: its most important sentences in their order, and a closing of the tone. */
export function repurposed(brief: Brief, platform: AiPlatform, choose: Chooser): string {
  const polished = polish(brief.source, brief.language);
  const closing = isQuestion(polished, brief.language)
    ? answer(brief, choose)
    : choose.pick(TABLES[brief.language].tones[brief.tone].closings);
  const room = styleOf(platform).caption_length - closing.length;
  const summary = summarize(polished, brief.language, room);
  return firstFitting(brief, platform, [[summary, closing], [summary]]);
}

/** Corrects a text; shortens it by whole sentences where the platform has no room for it. */
export function improved(brief: Brief, platform: AiPlatform, choose: Chooser): string {
  const { source, language, tone } = brief;
  const polished = polish(source, language);
  if (!fits(polished, textRules(platform))) {
    return summarize(polished, language, styleOf(platform).caption_length);
  }
  const isHashtagsOnly = isBlank(splitTrailingHashtags(polished).text);
  if (!isHashtagsOnly) return polished;
  return arrange([choose.pick(TABLES[language].tones[tone].closings), polished], brief, platform);
}

/** The topic on its own. Several sentences end like sentences, a single one or a noun like a headline. */
function headline({ source, language }: Brief): string {
  const single = polishHeadline(source, language);
  return sentencesOf(single, language).length > 1 ? polish(single, language) : single;
}

const answer = (brief: Brief, choose: Chooser) =>
  choose.pick(TABLES[brief.language].answers[register(brief)]);

const register = ({ tone }: Brief) => (FORMAL_TONES.has(tone) ? 'formal' : 'informal');

function withEmoji(text: string, { tone }: Brief, platform: AiPlatform): string {
  const emoji = EMOJI[tone];
  const isWanted = styleOf(platform).emojis && emoji !== '' && !/\p{Extended_Pictographic}/u.test(text);
  if (!isWanted) return text;
  return /[。！？]$/u.test(text) ? `${text}${emoji}` : `${text} ${emoji}`;
}

/** Returns the first list of parts that is as short as captions of the platform are; the last one in any case. */
function firstFitting(
  brief: Brief,
  platform: AiPlatform,
  candidates: readonly (readonly string[])[],
): string {
  const { caption_length } = styleOf(platform);
  const captions = candidates.map(parts => arrange(parts, brief, platform));
  const short = captions.find(text => text.length <= caption_length && fits(text, textRules(platform)));
  return short ?? captions.at(-1) ?? '';
}

/** The first part is a paragraph of its own; the others are, too, where the platform's style has paragraphs. */
function arrange(parts: readonly string[], { language }: Brief, platform: AiPlatform): string {
  const [first = '', ...rest] = parts;
  const added = styleOf(platform).paragraphs ? rest.join('\n\n') : inline(rest, language);
  return rest.length === 0 ? first : `${first}\n\n${added}`;
}

/** Joins sentences to one line. */
const inline = (sentences: readonly string[], language: Language) =>
  sentences.join(UNSPACED.has(language) ? '' : ' ');

/** Returns the sentences with the most keywords in their order, up to `length` characters; at least one. */
function summarize(text: string, language: Language, length: number): string {
  const weights = new Map(keywordsOf(text, language).map((word, index) => [word, 1 / (index + 1)]));
  const sentences = sentencesOf(text, language).map((sentence, index) => ({
    sentence,
    index,
    weight: weightOf(sentence, language, weights),
  }));
  const kept: typeof sentences = [];
  let total = 0;
  for (const each of [...sentences].sort((a, b) => b.weight - a.weight)) {
    if (kept.length > 0 && total + each.sentence.length > length) continue;
    kept.push(each);
    total += each.sentence.length + 1;
  }
  const inOrder = kept.sort((a, b) => a.index - b.index).map(({ sentence }) => sentence);
  return inline(inOrder, language);
}

/** Divides by the root of the length, so that neither long nor short sentences win by their length alone. */
function weightOf(sentence: string, language: Language, weights: ReadonlyMap<string, number>): number {
  const words = wordsOf(sentence, language);
  const sum = words.reduce((total, word) => total + (weights.get(word) ?? 0), 0);
  return sum / Math.sqrt(Math.max(1, words.length));
}
