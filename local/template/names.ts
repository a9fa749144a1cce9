/** Account and region of the local stack. The SQS emulator requires this account. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';
export const PARTITION = 'aws';
export const URL_SUFFIX = 'amazonaws.com';

export const arn = (service: string, resource: string) =>
  `arn:${PARTITION}:${service}:${REGION}:${ACCOUNT}:${resource}`;
