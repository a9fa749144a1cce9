import type { JsonObject } from '../model/json.ts';

/**
 * Serializes a value as JSON in ASCII: every other character becomes a `\u` escape. SQS rejects some characters that user
 * texts and platform messages contain (U+FFFE, U+FFFF), and emulators reject more.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export function asciiJson(value: JsonObject): string {
  return JSON.stringify(value).replace(
    /[^\u0020-\u007e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
