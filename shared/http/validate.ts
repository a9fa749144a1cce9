import * as v from 'valibot';
import { batchFieldPath, type ValidationDetail } from './errors.ts';
import type { Entries } from './route.ts';

/** Result of validating one part of a request: the parsed value, or every validation error. */
export interface Validated {
  value: unknown;
  details: ValidationDetail[];
}

/** Validates an object. `part` is the field path of errors about the object itself, such as `body`. */
export function validateObject(entries: Entries | undefined, value: unknown, part: string): Validated {
  return validateItem(entries, value, part, path => path);
}

/** Validates one object or an array of them; field paths in an array start with the index: `[3].title`. */
export function validateBatch(entries: Entries | undefined, value: unknown, maxItems: number): Validated {
  if (!Array.isArray(value)) {
    const only = validateObject(entries, value, 'body');
    return { value: [only.value], details: only.details };
  }
  if (value.length === 0 || value.length > maxItems) {
    const message = `The request body must contain 1 to ${maxItems} objects; it contains ${value.length}`;
    return { value: undefined, details: [{ field: 'body', message, platform: null }] };
  }
  const items = value.map((item, index) =>
    validateItem(entries, item, '', path => batchFieldPath(index, path)),
  );
  return { value: items.map(item => item.value), details: items.flatMap(item => item.details) };
}

function validateItem(
  entries: Entries | undefined,
  value: unknown,
  part: string,
  fullPath: (path: string) => string,
): Validated {
  if (!entries) return { value: undefined, details: [] };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const field = fullPath(part);
    const subject = field === 'body' ? 'The request body' : field;
    return {
      value: undefined,
      details: [{ field, message: `${subject} must be a JSON object`, platform: null }],
    };
  }
  const parsed = v.safeParse(v.object(entries), value);
  if (parsed.success) return { value: parsed.output, details: [] };
  return { value: undefined, details: validationDetails(parsed.issues, part, fullPath) };
}

/** Errors of `more` about fields that `known` does not mention: an error of a whole field hides those of its parts. */
export function additionalDetails(
  known: readonly ValidationDetail[],
  more: readonly ValidationDetail[],
): ValidationDetail[] {
  const reported = new Set(known.map(({ field }) => field));
  const topLevel = (field: string) => field.replace(/[.[].*$/s, '');
  return more.filter(({ field }) => !reported.has(field) && !reported.has(topLevel(field)));
}

/** Converts the issues of a schema; `part` is the field path of an issue without a path of its own. */
export function validationDetails(
  issues: readonly v.BaseIssue<unknown>[],
  part: string,
  fullPath: (path: string) => string = path => path,
): ValidationDetail[] {
  return issues.map(issue => {
    const path = v.getDotPath(issue)?.replace(/\.(\d+)(?=\.|$)/g, '[$1]') ?? part;
    const field = fullPath(path);
    return { field, message: withSubject(field, issueMessage(issue)), platform: null };
  });
}

/** Schemas phrase a message as a predicate, such as "Must be a string"; the field becomes its subject. */
export function withSubject(field: string, message: string): string {
  if (!/^(?:Must|Is|Was|May|Has|Cannot)\b/.test(message)) return message;
  return `${field} ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

/** What a valibot check expects, in plain words. */
const EXPECTATIONS: Readonly<Record<string, string>> = {
  string: 'Must be a string',
  number: 'Must be a number',
  boolean: 'Must be true or false',
  array: 'Must be an array',
  object: 'Must be an object',
  non_empty: 'Must not be empty',
  integer: 'Must be an integer',
  safe_integer: 'Must be an integer',
};

/** valibot's own messages quote the value, which may be a secret, so they are replaced by what is expected. */
function issueMessage(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'Is required';
  const isCustom = !issue.message.startsWith('Invalid ');
  if (isCustom) return issue.message;
  const expectation = EXPECTATIONS[issue.type];
  if (expectation !== undefined) return expectation;
  if (issue.kind === 'schema') return `Must be ${expectedValues(issue.expected ?? issue.type)}`;
  return `Must satisfy ${issue.type}${issue.expected ? ` (${issue.expected})` : ''}`;
}

/** `("a" | "b" | null)` as `"a", "b" or null`. */
function expectedValues(expected: string): string {
  const values = expected.replace(/^\((.*)\)$/s, '$1').split(' | ');
  const last = values.pop() ?? '';
  return values.length === 0 ? last : `${values.join(', ')} or ${last}`;
}
