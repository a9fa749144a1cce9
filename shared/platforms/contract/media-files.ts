import type { MediaFacts } from '../../model/media.ts';
import type { PictureNeeds } from './pictures.ts';

/** An image that meets a platform's needs. */
export interface FittedPicture {
  bytes: Uint8Array;
  type: string;
  /** Pixels, after applying the EXIF orientation. */
  width: number;
  height: number;
  animated: boolean;
  /** Returns a URL from which a platform can fetch exactly these bytes. Throws PlatformError `transient`. */
  publicUrl: () => Promise<string>;
}

/** How a file reaches a platform. `file`: as a file to download, because the platform does not show it. */
export type SentAs = 'unchanged' | 'converted' | 'file';

/** A file of the post, inspected. An image is without its metadata. */
export interface UserFile {
  /** What is known about the file as it was sent. */
  facts: MediaFacts;
  /** What validation announced for it, decided by the same function from the same facts. */
  sent_as: SentAs;
  /** Bytes. */
  size: number;
  /** Returns exactly these bytes. Offsets should ascend: a host that ignores ranges is read again otherwise. */
  read: (start: number, length: number) => Promise<Buffer>;
  /**
   * Returns a URL in the service's bucket from which a platform can fetch exactly this file, for platforms that fetch by
   * URL. A file elsewhere is copied first, which takes as long as reading it. Throws PlatformError `transient`.
   */
  publicUrl: () => Promise<string>;
  /** Returns the image, converted where needed. Throws PlatformError `rejected` where it cannot meet the needs. */
  fitted: (needs: PictureNeeds) => Promise<FittedPicture>;
  close: () => Promise<void>;
}

/** Gives publishers the files that users chose. Every address is checked, and every read is limited. */
export interface MediaFiles {
  /**
   * Opens a file of the post and checks it against the platform's limits. Throws PlatformError: `rejected` with
   * MEDIA_REJECTED, naming limit and value; `transient` where its host fails. `timeoutMs` bounds the reading.
   */
  open: (url: string, timeoutMs: number) => Promise<UserFile>;
  /** Returns the image of a field such as a cover; null where the post has none. Throws like `open`. */
  cover: (field: string, timeoutMs: number) => Promise<FittedPicture | null>;
  /**
   * Returns the content of the text file (UTF-8, such as SRT or VTT subtitles) that a field names, without a byte order
   * mark; null where the post names none. Throws PlatformError: `rejected` for a file that is too large or not text,
   * `transient` where its host fails.
   */
  text: (field: string, limits: { maxBytes: number; timeoutMs: number }) => Promise<string | null>;
  /** Returns an image that is not a file of the post, such as a link preview. Throws like `fitted`. */
  fit: (bytes: Uint8Array, needs: PictureNeeds) => Promise<FittedPicture>;
}
