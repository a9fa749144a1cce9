/** Bytes that identify a format, and that hold the dimensions of nearly every image. */
export const HEAD_BYTES = 64 * 1024;
