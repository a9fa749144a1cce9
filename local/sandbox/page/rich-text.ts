import type { SandboxDefinition, SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';

/** A run of text and its link target. */
export interface Run {
  text: string;
  href?: string;
}

/** Splits a text of the post (its own or a comment's) into plain and linked runs, as the platform shows them. */
export function richText(
  { links }: Pick<SandboxDefinition, 'links'>,
  post: SandboxPost,
  text: string,
): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const { start, end, href } of links?.(text, post) ?? []) {
    if (start > at) runs.push({ text: text.slice(at, start) });
    runs.push({ text: text.slice(start, end), href });
    at = end;
  }
  if (at < text.length) runs.push({ text: text.slice(at) });
  return runs;
}
