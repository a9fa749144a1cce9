/** A file that the service does not accept. `found` names what it is. */
export interface UnsupportedFile {
  type: 'unsupported';
  found: string;
  message: string;
}

export const unsupported = (found: string, message: string): UnsupportedFile => ({
  type: 'unsupported',
  found,
  message,
});
