import type { Tone } from '../brief.ts';

/** What the offline writer knows of a language. `{topic}` stands for what it writes about. */
export interface LanguageTable {
  /** Words that tell nothing of a topic, separated by spaces. */
  stopwords: string;
  /** Between two words of a hashtag's keyword and its ending nothing stands: `coffee` and `love` are `coffeelove`. */
  endings: string;
  /** Hashtags that go with everything, separated by spaces. */
  hashtags: string;
  /** Sentences for the middle of a longer caption, in any tone. */
  middles: readonly string[];
  tones: Readonly<Record<Tone, { openings: readonly string[]; closings: readonly string[] }>>;
}
