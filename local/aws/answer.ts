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
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export function ok(value: unknown): AwsAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

/** Clients read the name from the header or from `__type`, the words from `message` or `Message`. */
export function refusal({ code, message, status }: AwsError): AwsAnswer {
  return {
    status,
    headers: { 'x-amzn-errortype': code },
    body: JSON.stringify({ __type: code, message, Message: message }),
  };
}
