/** X rejects posts of self-serve apps with more cashtags. */
export const MAX_CASHTAGS = 1;
