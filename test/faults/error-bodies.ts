import type { PlatformId } from '../../shared/model/platform.ts';
import type { Json } from '../support/stack.ts';

/** An error as a fault makes a platform respond with. */
export interface ErrorResponse {
  status: number;
  message: string;
  /** Seconds after which the request may be repeated, where the body of a platform names them. */
  retry_after?: number;
}

type Body = (error: ErrorResponse) => Json;

const graph: Body = ({ status, message }) => ({
  error: { message, type: 'OAuthException', code: status === 400 ? 100 : 2, fbtrace_id: 'fault' },
});

const GOOGLE_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
};
const google: Body = ({ status, message }) => ({
  error: { code: status, message, status: GOOGLE_STATUSES[status], errors: [] },
});

/** The body of an error response, as each platform writes it. */
const BODIES: Readonly<Record<PlatformId, Body>> = {
  x: ({ status, message }) => ({ title: message, detail: message, status }),
  // Without a reason, a 400 means a mistake of the service.
  youtube: error => {
    const body = google(error);
    if (error.status === 400) body.error.errors = [{ reason: 'invalidDescription', message: error.message }];
    return body;
  },
  instagram: graph,
  facebook: graph,
  linkedin: ({ status, message }) => ({ status, code: 'FAULT', message }),
  tiktok: ({ status, message }) => ({
    error: { code: status === 400 ? 'invalid_params' : 'internal_error', message, log_id: 'fault' },
  }),
  threads: graph,
  pinterest: ({ status, message }) => ({ code: status === 400 ? 1 : 0, message }),
  bluesky: ({ status, message }) => ({
    error: status === 429 ? 'RateLimitExceeded' : status === 400 ? 'InvalidRequest' : 'UpstreamFailure',
    message,
  }),
  snapchat: ({ message }) => ({ request_status: 'ERROR', debug_message: message, error_code: 'FAULT' }),
  gbp: google,
  telegram: ({ status, message, retry_after }) => ({
    ok: false,
    error_code: status,
    description: message,
    ...(retry_after !== undefined && { parameters: { retry_after } }),
  }),
};

/** Returns the body of an error response of a platform. */
export const errorBody = (platform: PlatformId, error: ErrorResponse): Json => BODIES[platform](error);
