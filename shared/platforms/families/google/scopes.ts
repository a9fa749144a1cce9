import { PlatformError } from '../../contract/error.ts';

/** A permission that a platform of Google asks for. */
export interface GoogleScope {
  /** The full scope: `https://www.googleapis.com/auth/…`. */
  scope: string;
  /** What it is for, as the user reads it: completes "Allow …". */
  purpose: string;
}

/** Splits the space-delimited scopes of a token response. */
export const scopesOf = (text: string): string[] => text.split(' ').filter(Boolean);

/** Google lets users leave out single permissions. Throws PlatformError `rejected` that names those that are missing. */
export function assertGranted(required: readonly GoogleScope[], granted: readonly string[]): void {
  const missing = required.filter(({ scope }) => !granted.includes(scope));
  if (missing.length === 0) return;
  const list = missing.map(({ scope, purpose }) => `${purpose} (${scope.split('/').at(-1) ?? scope})`);
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `Some permissions were left out: ${list.join('; ')}. Connect again and tick every box on Google's page`,
  });
}
