import type { HttpResponse } from '../../../net/http.ts';
import { PlatformError, type PlatformErrorInit } from '../../contract/error.ts';
import type { ErrorRow, Purpose } from './error-row.ts';
import { GENERAL_ERRORS } from './error-table.ts';
import { readGraphError, type GraphError } from './graph-error.ts';
import { waitOf } from './usage.ts';

/** An error response of a Graph API, classified. `graph` lets publishers recognise single errors. */
export class GraphFailure extends PlatformError {
  readonly graph: GraphError;
  constructor(init: PlatformErrorInit, graph: GraphError) {
    super(init);
    this.graph = graph;
  }
}

/** True for an error response with this code and, where given, subcode. */
export function isGraphError(error: unknown, code: number, subcode?: number): error is GraphFailure {
  if (!(error instanceof GraphFailure) || error.graph.code !== code) return false;
  return subcode === undefined || error.graph.subcode === subcode;
}

/** What an error response is classified with. */
export interface Classification {
  /** The platform as users know it. */
  platform: string;
  /** The platform's own rows: they are looked at before the general ones. */
  rows: readonly ErrorRow[];
  purpose: Purpose;
  /** Names the request in the message. */
  what: string;
  /** Never appears in the message: Meta quotes malformed tokens. */
  token: string;
}

/** Classifies an error response: by code and subcode, then by `is_transient`, then by status. */
export function toGraphFailure(response: HttpResponse, context: Classification): GraphFailure {
  const error = readGraphError(response);
  const row = [...context.rows, ...GENERAL_ERRORS].find(each => matches(each, error, context.purpose));
  const { kind, failure, waitMs, retries, advice, outcomeUnknown, keepsAccount, acceptsPosts } =
    row ?? unlisted(error);
  const namedMs = waitOf(response.headers);
  return new GraphFailure(
    {
      kind,
      code: failure,
      message: messageOf(error, context, advice),
      retryAfterMs: kind === 'rate_limited' ? (namedMs ?? waitMs) : undefined,
      retries,
      outcomeUnknown: outcomeUnknown ?? false,
      keepsAccount,
      acceptsPosts: acceptsPosts && namedMs === null,
    },
    error,
  );
}

function matches(row: ErrorRow, error: GraphError, purpose: Purpose): boolean {
  const [from, to] = row.codes ?? [-Infinity, Infinity];
  return (
    includes(row.code, error.code) &&
    from <= error.code &&
    error.code <= to &&
    includes(row.subcode, error.subcode) &&
    (row.either?.some(number => number === error.code || number === error.subcode) ?? true) &&
    includes(row.type, error.type) &&
    includes(row.status, error.status) &&
    includes(row.purpose, purpose) &&
    (row.message?.test(`${error.message} ${error.userMessage}`) ?? true)
  );
}

function includes<T>(wanted: T | readonly T[] | undefined, found: T): boolean {
  if (wanted === undefined) return true;
  return Array.isArray(wanted) ? wanted.includes(found) : wanted === found;
}

const SERVER_ERROR: ErrorRow = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE', outcomeUnknown: true };

function unlisted({ status, isTransient }: GraphError): ErrorRow {
  if (isTransient === true || status >= 500 || status === 408) return SERVER_ERROR;
  if (status === 429) return { kind: 'rate_limited', failure: 'PLATFORM_RATE_LIMIT' };
  return { kind: 'rejected', failure: 'CONTENT_REJECTED' };
}

/** Meta's words for the user and their codes, without the token. */
function messageOf(error: GraphError, context: Classification, advice: string | undefined): string {
  const { code, subcode, status, userMessage, message } = error;
  const words = userMessage || message || `${context.platform} answered ${status}`;
  const codes = code === 0 ? '' : ` (code ${code}${subcode === 0 ? '' : `, subcode ${subcode}`})`;
  const sentence = `${context.what}: ${words.trim().replace(/\.$/, '')}${codes}`;
  const whole = advice === undefined ? sentence : `${sentence}. ${advice}`;
  return context.token === '' ? whole : whole.replaceAll(context.token, '***');
}
