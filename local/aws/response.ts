import type { JsonObject } from '../../shared/model/json.ts';

/** HTTP response of an emulated AWS service. */
export interface AwsResponse {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** An error response under the service's own error code. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  /** Members of the body besides code and message. */
  readonly more: JsonObject;
  constructor(code: string, message: string, status = 400, more: JsonObject = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.more = more;
  }
}

export function ok(value: unknown): AwsResponse {
  return { status: 200, body: JSON.stringify(value) };
}

/** Clients read the code from the header or from `__type`, the message from `message` or `Message`. */
export function errorResponse({ code, message, status, more }: AwsError): AwsResponse {
  return {
    status,
    headers: { 'x-amzn-errortype': code },
    body: JSON.stringify({ __type: code, message, Message: message, ...more }),
  };
}
