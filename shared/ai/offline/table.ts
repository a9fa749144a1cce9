import type { Tone } from '../brief.ts';

/** What the offline writer knows about a language. Its sentences never contain the topic, so no grammar can go wrong. */
export interface LanguageTable {
  /** Words that say nothing about a topic, separated by spaces. */
  stopwords: string;
  /** Endings that are appended to a keyword for a hashtag: `coffee` and `love` make `coffeelove`. */
  endings: string;
  /** Hashtags that suit any topic, separated by spaces. */
  hashtags: string;
  /** Invitations to answer a topic that is a question. */
  answers: Readonly<Record<'informal' | 'formal', readonly string[]>>;
  /** Introduce a topic that is a link. */
  links: Readonly<Record<'informal' | 'formal', string>>;
  /** `lines` follow a topic that is a noun or a statement; `closings` end a caption. */
  tones: Readonly<Record<Tone, { lines: readonly string[]; closings: readonly string[] }>>;
}
