import type { Target } from './target.ts';

interface Invocation {
  target: Target;
  options: Record<string, string>;
  /** Values of the repeatable options. */
  lists: Record<string, readonly string[]>;
  positionals: readonly string[];
}

/** A command for the operator. */
export interface Command {
  /** One or two words. */
  name: string;
  /** Arguments as the usage text shows them. */
  arguments: string;
  summary: string;
  options: readonly { name: string; required: boolean; repeatable?: boolean }[];
  /** Words that it takes besides options. Default: none. */
  words?: number;
  /** Returns the text to print. Throws an error with a message for the operator. */
  run: (invocation: Invocation) => Promise<string>;
}

export const required = (...names: string[]) => names.map(name => ({ name, required: true }));
export const optional = (...names: string[]) => names.map(name => ({ name, required: false }));
