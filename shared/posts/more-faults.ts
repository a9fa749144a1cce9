import * as v from 'valibot';
import type { Detail } from '../http/errors.ts';
import { checkPost } from './check.ts';
import { commonPostFields, createPostFields, type CommonPostInput } from './input.ts';

/** What stands for a field that cannot be read, where there is no saying nothing. */
const BLANKS = { profile_name: '-', platforms: [] };

/**
 * Faults of a post's body beside those of its schema: the fields that can be read are checked as if the others were not
 * there. Nothing can be told of a post without a known type.
 */
export async function moreFaults(body: unknown, now: number): Promise<Detail[]> {
  const given = v.safeParse(v.record(v.string(), v.unknown()), body);
  if (!given.success) return [];
  const readable = Object.entries(createPostFields).filter(
    ([name, schema]) => v.safeParse(v.object({ [name]: schema }), given.output).success,
  );
  const kept = Object.fromEntries(readable.map(([name]) => [name, given.output[name]]));
  const input = v.safeParse(v.object(commonPostFields), { ...BLANKS, ...kept });
  if (!input.success) return [];
  const checked: CommonPostInput & Record<string, unknown> = { ...kept, ...input.output };
  return (await checkPost(checked, now)).details;
}
