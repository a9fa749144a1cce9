import * as v from 'valibot';
import type { JsonObject } from '../../shared/model/json.ts';
import type { EventRule, InputTransformer } from '../template/tasks.ts';

/** Delivers an event to the targets of the rules that match it. A failure is logged, as nobody waits for it. */
export type EmitEvent = (event: JsonObject) => void;

/** The default event bus of EventBridge with rules of exact values, nested as the event is. */
export function createEventBus(
  rules: readonly EventRule[],
  deliver: (targetArn: string, input: string) => Promise<void>,
): EmitEvent {
  return event => {
    const targets = rules.filter(({ pattern }) => matches(pattern, event)).flatMap(rule => rule.targets);
    for (const { arn, input } of targets) {
      deliver(arn, input === null ? JSON.stringify(event) : transformed(input, event)).catch(
        (error: unknown) => console.error('Could not deliver an event:', error),
      );
    }
  };
}

const ObjectSchema = v.record(v.string(), v.unknown());

function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.includes(value);
  const wanted = v.parse(ObjectSchema, pattern);
  const actual = v.safeParse(ObjectSchema, value);
  return actual.success && Object.entries(wanted).every(([name, each]) => matches(each, actual.output[name]));
}

/** Puts the values of the event in place of `<name>`: texts without quotes inside a text, anything else as JSON. */
function transformed({ InputPathsMap, InputTemplate }: InputTransformer, event: JsonObject): string {
  return InputTemplate.replace(/(?<quote>"?)<(?<name>[\w-]+)>\k<quote>/g, (_, __, name: string) =>
    JSON.stringify(at(InputPathsMap[name] ?? '$', event)),
  );
}

/** The value at a path like `$.detail.startedBy`; null where there is none. */
function at(path: string, event: JsonObject): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => {
      const parsed = v.safeParse(ObjectSchema, value);
      return parsed.success ? (parsed.output[name] ?? null) : null;
    }, event);
}
