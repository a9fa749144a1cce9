import * as v from 'valibot';
import { errorCodeDoc } from './error-codes.ts';
import type { ApiResponse } from './errors.ts';

/** Bodies of which the interface fixes every field. */
const FIXED: ReadonlySet<string> = new Set(['PLATFORM_RATE_LIMIT', 'AI_LIMIT']);

const CodedBody = v.looseObject({ code: v.string() });

/** Adds the address at which cause and remedy of the error's code are documented. */
export function withDocsUrl(response: ApiResponse, baseUrl: string): ApiResponse {
  const coded = v.safeParse(CodedBody, response.body);
  if (!coded.success || FIXED.has(coded.output.code) || !errorCodeDoc(coded.output.code)) return response;
  const { code } = coded.output;
  return { ...response, body: { ...coded.output, docs_url: `${baseUrl}/docs/errors#${code}` } };
}
