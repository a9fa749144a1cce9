import type { MediaFacts } from '../../model/media.ts';
import type { PictureNeeds } from './pictures.ts';

/** A picture in the shape in which a platform takes it. */
export interface FittedPicture {
  bytes: Uint8Array;
  type: string;
  /** Pixels; as a viewer sees the picture. */
  width: number;
  height: number;
  animated: boolean;
  /** An address from which a platform may fetch just these bytes. Throws PlatformError `transient`. */
  publicUrl: () => Promise<string>;
}

/** A file of the post, looked at. */
export interface UserFile {
  facts: MediaFacts;
  /** Bytes. */
  size: number;
  /** Exactly these bytes. Reads should ascend: where its host knows no ranges, the file is read again otherwise. */
  read: (start: number, length: number) => Promise<Buffer>;
  /** A picture, as it is where it fits, else made anew. Throws PlatformError `rejected` where that cannot be. */
  fitted: (needs: PictureNeeds) => Promise<FittedPicture>;
  close: () => Promise<void>;
}

/** How publishers come by the files that users named. Every address is checked, and every read has its end. */
export interface MediaFiles {
  /**
   * Opens a file of the post and holds it against the platform's limits. Throws PlatformError: `rejected` with
   * MEDIA_REJECTED, naming limit and value, `transient` where its host fails. `timeoutMs` bounds the reading.
   */
  open: (url: string, timeoutMs: number) => Promise<UserFile>;
  /** The picture of a field such as a cover, fitted; null where the post names none. Throws like `open`. */
  cover: (field: string, timeoutMs: number) => Promise<FittedPicture | null>;
  /** A picture that is none of the post's, such as the preview of a link. Throws like `fitted`. */
  fit: (bytes: Uint8Array, needs: PictureNeeds) => Promise<FittedPicture>;
}
