/** Bytes. */
export const KB = 1024;
export const MB = 1024 ** 2;
export const GB = 1024 ** 3;

/** Seconds. */
export const MINUTES = 60;
export const HOURS = 3600;
