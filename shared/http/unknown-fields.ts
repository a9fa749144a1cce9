import * as v from 'valibot';
import { nearestName } from '../text/nearest.ts';
import { ApiError, batchFieldPath, type ApiResponse, type ValidationDetail } from './errors.ts';

/** Most unknown fields that a response lists. */
const MAX_LISTED = 100;
/** Longer names are cut. */
const MAX_NAME_LENGTH = 200;

/** Warning about an unknown field, with the nearest known name. */
export const UnknownFieldRecord = v.pipe(
  v.object({ code: v.literal('UNKNOWN_FIELD'), field: v.string(), message: v.string() }),
  v.title('UnknownField'),
);
type UnknownFieldWarning = v.InferOutput<typeof UnknownFieldRecord>;

/** Returns a warning for each top-level field of a body, or of the objects of a batch, that the schema does not have. */
export function unknownFields(entries: v.ObjectEntries, body: unknown): UnknownFieldWarning[] {
  const known = Object.keys(entries);
  const found = findUnknown(entries, body);
  const listed = found.slice(0, MAX_LISTED).map(({ name, index }) => warning(name, index, known));
  const omitted = found.length - listed.length;
  if (omitted === 0) return listed;
  const message = `${omitted} more unknown fields were ignored`;
  return [...listed, { code: 'UNKNOWN_FIELD', field: 'body', message }];
}

/** Returns the names of the top-level fields of a body, or of the objects of a batch, that the schema does not have. */
export const unknownNames = (entries: v.ObjectEntries, body: unknown): string[] =>
  findUnknown(entries, body)
    .slice(0, MAX_LISTED)
    .map(({ name }) => name);

/** Returns an error for each unknown field that a request refuses: all, or those whose name matches. */
export function unknownFieldErrors(
  entries: v.ObjectEntries,
  body: unknown,
  refused: true | RegExp,
): ValidationDetail[] {
  const known = Object.keys(entries);
  return findUnknown(entries, body)
    .filter(({ name }) => refused === true || refused.test(name))
    .slice(0, MAX_LISTED)
    .map(({ name, index }) => {
      const field = pathOf(name, index);
      return { field, message: `${field} is not a known field${hintFor(name, known)}`, platform: null };
    });
}

interface UnknownName {
  name: string;
  /** Index of the object in a batch. */
  index: number | null;
}

function findUnknown(entries: v.ObjectEntries, body: unknown, index: number | null = null): UnknownName[] {
  if (typeof body !== 'object' || body === null) return [];
  if (Array.isArray(body)) return body.flatMap((item, itemIndex) => findUnknown(entries, item, itemIndex));
  return Object.keys(body)
    .filter(name => !Object.hasOwn(entries, name))
    .map(name => ({ name: name.slice(0, MAX_NAME_LENGTH), index }));
}

const pathOf = (name: string, index: number | null) => (index === null ? name : batchFieldPath(index, name));

function warning(name: string, index: number | null, known: readonly string[]): UnknownFieldWarning {
  const field = pathOf(name, index);
  const message = `${field} is not a known field and was ignored${hintFor(name, known)}`;
  return { code: 'UNKNOWN_FIELD', field, message };
}

function hintFor(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

const HasWarnings = v.object({ warnings: v.array(v.unknown()) });
const HasErrors = v.object({ errors: v.array(v.object({ field: v.string() })) });

/**
 * Puts `unknown` before the warnings of a successful response, without fields that it has an error for. Other responses,
 * and bodies that are not objects, stay as they are.
 */
export function withWarnings(response: ApiResponse, unknown: readonly UnknownFieldWarning[]): ApiResponse {
  const { status, body } = response;
  const refused = v.safeParse(HasErrors, body);
  const warnings = refused.success
    ? unknown.filter(({ field }) => refused.output.errors.every(error => error.field !== field))
    : unknown;
  if (warnings.length === 0 || status >= 300 || typeof body !== 'object' || body === null) return response;
  const own = v.safeParse(HasWarnings, body);
  return {
    ...response,
    body: { ...body, warnings: [...warnings, ...(own.success ? own.output.warnings : [])] },
  };
}

const ValidationFailure = v.looseObject({
  details: v.array(v.looseObject({ field: v.string(), message: v.string() })),
});

/** Adds a hint to each validation error whose field the body has under a similar, unknown name. Returns other errors as they are. */
export function withHints(error: unknown, entries: v.ObjectEntries, body: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const failure = v.safeParse(ValidationFailure, error.response.body);
  if (!failure.success) return error;
  const misspelled = misspelledFields(entries, body);
  const details = failure.output.details.map(detail => {
    const sent = misspelled.get(detail.field);
    return sent === undefined
      ? detail
      : { ...detail, message: `${detail.message} (you sent ${sent}, which is not a known field)` };
  });
  return new ApiError({ ...error.response, body: { ...failure.output, details } });
}

/** Unknown names of a body by the path of the field that each probably means. */
function misspelledFields(entries: v.ObjectEntries, body: unknown): ReadonlyMap<string, string> {
  const known = Object.keys(entries);
  const misspelled = findUnknown(entries, body)
    .slice(0, MAX_LISTED)
    .flatMap(({ name, index }) => {
      const nearest = nearestName(name, known);
      return nearest === null ? [] : [[pathOf(nearest, index), name] as const];
    });
  return new Map(misspelled);
}
