import { ERROR_CODES, type ErrorCodeDoc } from '../../shared/http/error-codes.ts';
import { FAILURE_CAUSES, FAILURE_CODES, FAILURES } from '../../shared/model/failure.ts';
import type { OpenApiDocument } from '../openapi/document.ts';

/** One row of the error reference. */
export interface CodeRow {
  /** Fragment of the row. */
  id: string;
  code: string;
  /** HTTP statuses, or kind of the failure. */
  kind: string;
  cause: string;
  remedy: string;
  retryable: boolean;
}

/** Codes of error responses, with the statuses that the document has them under. */
export function errorRows(document: OpenApiDocument): CodeRow[] {
  return Object.entries<ErrorCodeDoc>(ERROR_CODES)
    .map(([code, { cause, remedy, retryable }]) => ({
      id: code,
      code,
      kind: statusesOf(document, code).join(', '),
      cause,
      remedy,
      retryable,
    }))
    .sort((a, b) => a.kind.localeCompare(b.kind) || a.code.localeCompare(b.code));
}

/** Statuses without an operation: the path exists, but not with this method. */
const UNROUTED: Readonly<Record<string, string>> = { METHOD_NOT_ALLOWED: '405' };

function statusesOf({ paths, components }: OpenApiDocument, code: string): string[] {
  const named = new RegExp(`"${code}"`);
  const hits = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status, response]) => {
      const whole =
        '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
      return Number(status) >= 400 && named.test(JSON.stringify(whole));
    })
    .map(([status]) => status);
  const fixed = UNROUTED[code];
  return [...new Set([...hits, ...(fixed === undefined ? [] : [fixed])])].sort();
}

/** Codes of failed destinations. */
export const FAILURE_ROWS: readonly CodeRow[] = FAILURE_CODES.map(code => {
  const { category, remedy, retryable } = FAILURES[code];
  return { id: `failure-${code}`, code, kind: category, cause: FAILURE_CAUSES[code], remedy, retryable };
});
