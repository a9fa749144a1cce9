/** Why an item was skipped or cut short. */
export const ITEM_ERROR_CODES = [
  /** The URL leads to a private address, or is not http(s). */
  'BLOCKED',
  /** The host answered with an error status. */
  'HTTP_STATUS',
  /** The host did not answer, or broke off again and again. */
  'UNREACHABLE',
  /** The file is damaged, or of no supported format. */
  'NOT_PLAYABLE',
  'NO_VIDEO',
  /** The pictures have more pixels than a decoder may hold. */
  'TOO_LARGE',
  /** The decoder process ended without a message. */
  'CRASHED',
  /** The decoder process exceeded its memory. */
  'MEMORY',
  /** The item did not begin in time. */
  'SLOW',
  /** The item stopped in its middle. */
  'STALLED',
  /** The item began, but arrives slower than it plays. */
  'LATE',
  /** The file ends before the duration that it declares. */
  'CUT_SHORT',
  /** Pictures are copied, but those of the file cannot be, or not any more. */
  'CHANGED',
] as const;

export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];

export interface ItemFailure {
  code: ItemErrorCode;
  message: string;
}

/** Ends an item, never the broadcast. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
  readonly code: ItemErrorCode;
  constructor(code: ItemErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
