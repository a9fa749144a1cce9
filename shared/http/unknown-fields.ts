import * as v from 'valibot';
import { nearestName } from '../text/nearest.ts';
import { ApiError, place, type ApiResponse } from './errors.ts';

/** Most of them that one answer names. */
const MOST = 100;
/** Longest name that is repeated in full. */
const MAX_NAME = 200;

/** A field that no part of the service knows, with the nearest name that it does know. */
export const UnknownFieldView = v.pipe(
  v.object({ code: v.literal('UNKNOWN_FIELD'), field: v.string(), message: v.string() }),
  v.title('UnknownField'),
);
type UnknownField = v.InferOutput<typeof UnknownFieldView>;

/** Top-level fields of a body, or of each object of a batch, that its schema does not know: they were ignored. */
export function unknownFields(entries: v.ObjectEntries, body: unknown): UnknownField[] {
  const known = Object.keys(entries);
  const found = foreignNames(entries, body);
  const named = found.slice(0, MOST).map(({ name, where }) => warning(name, where, known));
  const rest = found.length - named.length;
  if (rest === 0) return named;
  return [...named, { code: 'UNKNOWN_FIELD', field: 'body', message: `${rest} more fields are not known` }];
}

interface ForeignName {
  name: string;
  /** Place of the object in its batch. */
  where: number | null;
}

function foreignNames(entries: v.ObjectEntries, body: unknown, where: number | null = null): ForeignName[] {
  if (typeof body !== 'object' || body === null) return [];
  if (Array.isArray(body)) return body.flatMap((item, index) => foreignNames(entries, item, index));
  return Object.keys(body)
    .filter(name => !Object.hasOwn(entries, name))
    .map(name => ({ name: name.slice(0, MAX_NAME), where }));
}

function warning(name: string, where: number | null, known: readonly string[]): UnknownField {
  const near = nearestName(name, known);
  const hint = near === null ? '' : `; did you mean ${near}?`;
  const field = where === null ? name : place(where, name);
  return { code: 'UNKNOWN_FIELD', field, message: `The field is not known and was ignored${hint}` };
}

const HasWarnings = v.object({ warnings: v.array(v.unknown()) });

/** A successful answer with these warnings before its own; any other, and one without a JSON object, as it is. */
export function withWarnings(answer: ApiResponse, warnings: readonly unknown[]): ApiResponse {
  const { status, body } = answer;
  if (warnings.length === 0 || status >= 300 || typeof body !== 'object' || body === null) return answer;
  const own = v.safeParse(HasWarnings, body);
  return {
    ...answer,
    body: { ...body, warnings: [...warnings, ...(own.success ? own.output.warnings : [])] },
  };
}

const Refusal = v.looseObject({
  details: v.array(v.looseObject({ field: v.string(), message: v.string() })),
});

/**
 * A refusal whose faults are perhaps slips: where a field has a fault and the body has an unknown one of nearly that
 * name, the message says so. Anything else as it is.
 */
export function withHints(error: unknown, entries: v.ObjectEntries, body: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const refusal = v.safeParse(Refusal, error.response.body);
  if (!refusal.success) return error;
  const slips = slipsOf(entries, body);
  const details = refusal.output.details.map(detail => {
    const slip = slips.get(detail.field);
    return slip === undefined
      ? detail
      : { ...detail, message: `${detail.message} (you sent ${slip}, which is not known)` };
  });
  return new ApiError({ ...error.response, body: { ...refusal.output, details } });
}

/** Unknown names of a body by the field that each was perhaps meant to be. */
function slipsOf(entries: v.ObjectEntries, body: unknown): ReadonlyMap<string, string> {
  const known = Object.keys(entries);
  const slips = foreignNames(entries, body)
    .slice(0, MOST)
    .map(({ name, where }) => ({ name, where, near: nearestName(name, known) }));
  return new Map(
    slips.flatMap(({ name, where, near }) =>
      near === null ? [] : [[where === null ? near : place(where, near), name] as const],
    ),
  );
}
