import type { Target } from '../target.ts';

/** What a check found: one line. */
export interface Finding {
  /** `todo`: the operator must do something, which the text says. */
  state: 'ok' | 'todo';
  text: string;
}

/** Checks one thing of a stack. `now`: epoch milliseconds. */
export interface Check {
  name: string;
  run: (target: Target, now: number) => Promise<Finding[]>;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const todo = (text: string): Finding => ({ state: 'todo', text });

/** Returns the findings, or that nothing is to do. */
export const orOk = (findings: readonly Finding[], text: string): Finding[] =>
  findings.length === 0 ? [ok(text)] : [...findings];

/** Returns a number with its noun: `1 message`, `2 messages`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
