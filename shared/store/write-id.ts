import { randomBytes } from 'node:crypto';

/** Returns a new id of a write, by which its writer recognizes it. */
export const newWriteId = (): string => randomBytes(6).toString('base64url');
