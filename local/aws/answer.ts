import type { JsonObject } from '../../shared/model/json.ts';

/** What an emulated service answers. */
export interface AwsAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** A refusal under the service's own name. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  /** Members of the body beside the name and the words. */
  readonly more: JsonObject;
  constructor(code: string, message: string, status = 400, more: JsonObject = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.more = more;
  }
}

export function ok(value: unknown): AwsAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

/** Clients read the name from the header or from `__type`, the words from `message` or `Message`. */
export function refusal({ code, message, status, more }: AwsError): AwsAnswer {
  return {
    status,
    headers: { 'x-amzn-errortype': code },
    body: JSON.stringify({ __type: code, message, Message: message, ...more }),
  };
}
