import * as v from 'valibot';
import type { AiPlatform, Brief } from './brief.ts';
import { isPlausiblyIn } from './language.ts';
import { repair, type GeneratedPost } from './repair.ts';
import { unusable, type Writer } from './writer.ts';

const RawPostSchema = v.object({
  caption: v.nullish(v.string(), ''),
  /** Some models write one string instead of a list. */
  hashtags: v.nullish(v.union([v.string(), v.array(v.string())]), []),
});

/** Generated posts by platform. */
export type GenerationResult = Partial<Record<AiPlatform, GeneratedPost>>;

/** Validates and repairs a provider's output for every platform. Throws AiFailure when a platform has no usable post. */
export function parseOutput(
  brief: Brief,
  output: unknown,
  banned: ReadonlySet<string>,
  { translates }: Pick<Writer, 'translates'>,
): GenerationResult {
  const entries = Object.fromEntries(brief.platforms.map(platform => [platform, RawPostSchema]));
  const parsed = v.safeParse(v.object(entries), output);
  if (!parsed.success) throw unusable('it did not match the schema');
  const posts = brief.platforms.map((platform): [AiPlatform, GeneratedPost] => {
    const raw = parsed.output[platform];
    const post = raw ? repair(brief, platform, raw, banned) : null;
    if (!post) throw unusable(`the text for ${platform} was empty or over the limit`);
    if (translates && !isPlausiblyIn(brief.language, post.caption)) {
      throw unusable(`the text for ${platform} was in another language`);
    }
    return [platform, post];
  });
  return Object.fromEntries(posts);
}

/** Parses the JSON object in a model's text, whatever surrounds it. Throws AiFailure when there is none. */
export function parseEmbeddedJson(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return value;
  } catch {
    throw unusable('it was not JSON');
  }
}
