import { arn } from '../template/names.ts';
import type { RateRule } from '../template/resources.ts';

export interface Rules {
  /** Fires the rules that are due. */
  tick: () => void;
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Period of an expression like `rate(5 minutes)`, in milliseconds. Throws for other expressions. */
export function periodMs(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const length = UNIT_MS[unit];
  if (length === undefined)
    throw new Error(`The local stack supports rate(…) expressions only, not ${expression}`);
  return Number(count) * length;
}

/** Recurring rules on the stack's clock. A clock jump fires a rule once, however many periods it spans. */
export function createRules(
  rules: readonly RateRule[],
  now: () => number,
  fire: (targetArn: string, ruleArn: string) => void,
): Rules {
  const entries = rules.map(rule => {
    const period = periodMs(rule.expression);
    return { rule, period, next: now() + period };
  });
  return {
    tick: () => {
      for (const entry of entries.filter(({ next }) => next <= now())) {
        entry.next = now() + entry.period;
        for (const target of entry.rule.targetArns) fire(target, arn('events', `rule/${entry.rule.name}`));
      }
    },
  };
}
