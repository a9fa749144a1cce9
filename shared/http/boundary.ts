import { MIMEType } from 'node:util';

/** RFC 2046, 5.1.1: 1 to 70 characters, the last of which is not a space. */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/** Returns the boundary in the Content-Type of a multipart body, quoted or not; null where it has no valid one. */
export function boundaryOf(contentType: string): string | null {
  try {
    const boundary = new MIMEType(contentType).params.get('boundary')?.replace(/ +$/, '') ?? '';
    return BOUNDARY.test(boundary) ? boundary : null;
  } catch {
    return null;
  }
}
