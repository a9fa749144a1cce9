/** Mentions in a caption, and tagged users. */
export const MAX_MENTIONS = 20;
