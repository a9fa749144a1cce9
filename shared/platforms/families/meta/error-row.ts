import type { FailureCode } from '../../../model/failure.ts';
import type { PlatformErrorKind } from '../../contract/error.ts';

/** What kind of call was refused: the same error means different things. */
export type Purpose =
  | 'read'
  /** Changes something that nobody sees, so that it can be repeated: uploads, containers, unpublished photos. */
  | 'prepare'
  /** Makes something visible. */
  | 'commit';

/** One row of a classification table. All given properties must match; the first matching row decides. */
export interface ErrorRow {
  code?: number | readonly number[];
  /** Codes from … to, both included. */
  codes?: readonly [number, number];
  subcode?: number | readonly number[];
  /** The code or the subcode: some numbers are seen as both. */
  either?: readonly number[];
  type?: string;
  status?: number;
  purpose?: Purpose | readonly Purpose[];
  message?: RegExp;
  kind: PlatformErrorKind;
  failure: FailureCode;
  /** Delay of the next attempt where the response names none. Milliseconds. */
  waitMs?: number;
  /** How often the request is repeated after the same answer; default: as after any other. */
  retries?: number;
  /** What the user can do, appended to Meta's message. */
  advice?: string;
  /** The platform may have acted on the request all the same. */
  outcomeUnknown?: true;
  /** Reconnecting the account would change nothing: it stays usable. */
  keepsAccount?: true;
  /** New posts are accepted meanwhile, unless the response names the time of the limit. */
  acceptsPosts?: true;
}
