import * as v from 'valibot';
import type { AiPlatform, Brief } from './brief.ts';
import { mayBeIn } from './language.ts';
import { repair, type Written } from './repair.ts';
import { unusable, type Writer } from './writer.ts';

const RawPostSchema = v.object({
  caption: v.nullish(v.string(), ''),
  /** Some models write one text instead of a list. */
  hashtags: v.nullish(v.union([v.string(), v.array(v.string())]), []),
});
export type Result = Partial<Record<AiPlatform, Written>>;

/** What a provider gave, checked and repaired for every platform. Throws AiFailure where a platform has nothing. */
export function readAnswer(
  brief: Brief,
  answer: unknown,
  banned: ReadonlySet<string>,
  { translates }: Pick<Writer, 'translates'>,
): Result {
  const entries = Object.fromEntries(brief.platforms.map(platform => [platform, RawPostSchema]));
  const parsed = v.safeParse(v.object(entries), answer);
  if (!parsed.success) throw unusable('it did not have the shape that was asked for');
  const written = brief.platforms.map((platform): [AiPlatform, Written] => {
    const raw = parsed.output[platform];
    const post = raw ? repair(brief, platform, raw, banned) : null;
    if (!post) throw unusable(`nothing could be published on ${platform}`);
    if (translates && !mayBeIn(brief.language, post.caption)) {
      throw unusable(`the text for ${platform} was in another language`);
    }
    return [platform, post];
  });
  return Object.fromEntries(written);
}

/** The object in a model's text, fenced or talked around. Throws AiFailure where there is none. */
export function objectIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return value;
  } catch {
    throw unusable('it was no JSON');
  }
}
