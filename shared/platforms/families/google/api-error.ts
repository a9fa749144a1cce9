import * as v from 'valibot';
import { parseJson } from '../../../model/json.ts';
import type { HttpResponse } from '../../../net/http.ts';

const text = v.fallback(v.string(), '');

/** The error envelope of Google's APIs. Older APIs name the reason in `errors`, newer ones in `details`. */
const EnvelopeSchema = v.object({
  error: v.object({
    message: v.optional(text, ''),
    status: v.optional(text, ''),
    errors: v.optional(
      v.array(
        v.object({
          reason: v.optional(text, ''),
          domain: v.optional(text, ''),
          message: v.optional(text, ''),
          location: v.optional(text, ''),
        }),
      ),
      [],
    ),
    details: v.optional(
      v.array(
        v.object({
          reason: v.optional(text, ''),
          metadata: v.optional(v.record(v.string(), v.unknown()), {}),
        }),
      ),
      [],
    ),
  }),
});

/** An error response of a Google API, in whichever format. All texts are empty where the body is not JSON. */
export interface GoogleError {
  /** HTTP status. */
  status: number;
  /** `quotaExceeded`, `ACCESS_TOKEN_SCOPE_INSUFFICIENT` …; the reasons of `errors` and `details`. */
  reasons: readonly string[];
  /** `youtube.quota`, `global` … */
  domain: string;
  /** The parameter or member that was not accepted. */
  location: string;
  /** Google's own message without HTML. */
  message: string;
  /** `1/d/{project}` where Google names the period of an exhausted quota. */
  quota_unit: string;
}

export function readGoogleError(response: HttpResponse): GoogleError {
  const body = response.body.toString('utf8');
  const parsed = v.safeParse(EnvelopeSchema, parseJson(body));
  if (!parsed.success) return { ...EMPTY, status: response.status, message: plainText(body) };
  const { message, errors, details } = parsed.output.error;
  const [first] = errors;
  const unit = details.map(({ metadata }) => metadata['quota_unit']).find(each => typeof each === 'string');
  return {
    status: response.status,
    reasons: [...errors, ...details].map(({ reason }) => reason).filter(Boolean),
    domain: first?.domain ?? '',
    location: first?.location ?? '',
    message: withoutMarkup(message || (first?.message ?? '')),
    quota_unit: typeof unit === 'string' ? unit : '',
  };
}

const EMPTY: Omit<GoogleError, 'status' | 'message'> = {
  reasons: [],
  domain: '',
  location: '',
  quota_unit: '',
};

/** The upload servers answer in plain text, proxies with a page. */
function plainText(body: string): string {
  return /^\s*</.test(body) ? '' : body.trim().slice(0, 300);
}

const withoutMarkup = (message: string) => message.replace(/<[^>]*>/g, '').trim();
