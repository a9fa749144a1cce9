import * as v from 'valibot';
import { CopiedPicturesSchema, PictureFormatSchema } from '../format.ts';
import { ITEM_ERROR_CODES } from '../item-error.ts';
import { PictureFactsSchema } from '../picture-facts.ts';

/** The first line on the standard input of a decoder process. */
export const JobSchema = v.object({
  url: v.string(),
  format: PictureFormatSchema,
  net: v.object({ allowLoopback: v.boolean(), allowPrivate: v.boolean() }),
  /** `copy`: its ticks have the pictures as they are in the file. `survey`: tells whether that is possible, without ticks. */
  task: v.variant('type', [
    v.object({ type: v.literal('decode') }),
    v.object({ type: v.literal('copy'), copied: CopiedPicturesSchema }),
    v.object({ type: v.literal('survey') }),
  ]),
});
export type Job = v.InferOutput<typeof JobSchema>;

/** A line on the standard output of a decoder process. Its ticks leave on file descriptor 3. */
export const NoticeSchema = v.variant('type', [
  v.object({ type: v.literal('opened'), duration_ms: v.nullable(v.number()), has_sound: v.boolean() }),
  v.object({ type: v.literal('surveyed'), facts: PictureFactsSchema }),
  v.object({ type: v.literal('ended') }),
  v.object({ type: v.literal('failed'), code: v.picklist(ITEM_ERROR_CODES), message: v.string() }),
]);
export type Notice = v.InferOutput<typeof NoticeSchema>;

export const TICKS_FD = 3;
