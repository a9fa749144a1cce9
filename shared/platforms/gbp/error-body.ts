import * as v from 'valibot';
import { parseJson } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import { readGoogleError, type GoogleError } from '../families/google/api-error.ts';

const text = v.fallback(v.string(), '');

/** The useful words are in `details`: `error.message` is the same sentence for every mistake. */
const DetailsSchema = v.object({
  error: v.object({
    status: v.optional(text, ''),
    details: v.optional(
      v.array(
        v.object({
          errorDetails: v.optional(
            v.array(
              v.object({
                code: v.optional(v.fallback(v.number(), 0), 0),
                field: v.optional(text, ''),
                message: v.optional(text, ''),
              }),
            ),
            [],
          ),
          fieldViolations: v.optional(
            v.array(v.object({ field: v.optional(text, ''), description: v.optional(text, '') })),
            [],
          ),
          metadata: v.optional(v.record(v.string(), v.unknown()), {}),
        }),
      ),
      [],
    ),
  }),
});

/** What Google did not accept. */
export interface Problem {
  /** Google's number; 0 where there is none. */
  code: number;
  /** In snake case; empty where Google names none. */
  field: string;
  message: string;
}

/** An error response of a Business Profile API. */
export interface BusinessError extends GoogleError {
  /** `INVALID_ARGUMENT` …; empty where the body is not JSON. */
  rpc_status: string;
  problems: readonly Problem[];
  /** The exhausted limit; `0` for a Cloud project that Google has not approved. Empty where it names none. */
  quota_limit: string;
}

export function readBusinessError(response: HttpResponse): BusinessError {
  const common = readGoogleError(response);
  const parsed = v.safeParse(DetailsSchema, parseJson(response.body.toString('utf8')));
  if (!parsed.success) return { ...common, rpc_status: '', problems: [], quota_limit: '' };
  const { status, details } = parsed.output.error;
  const limit = details
    .map(({ metadata }) => metadata['quota_limit_value'])
    .find(each => typeof each === 'string');
  return {
    ...common,
    rpc_status: status,
    problems: details.flatMap(({ errorDetails, fieldViolations }) => [
      ...errorDetails,
      ...fieldViolations.map(({ field, description }) => ({ code: 0, field, message: description })),
    ]),
    quota_limit: typeof limit === 'string' ? limit : '',
  };
}

/** Returns Google's words about an error, the problems with their fields; empty where it gives none. */
export function wordsOf({ problems, message }: BusinessError): string {
  const named = problems
    .filter(problem => problem.message !== '')
    .map(({ field, message: words }) =>
      field === '' || words.includes(field) ? words : `${field}: ${words}`,
    );
  return named.length > 0 ? named.join(' ') : message;
}
