/** True where the user granted the scope when the account was connected, or at the last renewal. */
export const isGranted = (attributes: Readonly<Record<string, string>>, scope: string): boolean =>
  attributes['scopes']?.split(',').includes(scope) === true;
