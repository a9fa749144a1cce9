import type { FailureCode } from '../../model/failure.ts';
import type { Video } from './videos.ts';

/** Why a video fails to be processed, in words. */
const FAILURES: Readonly<Record<string, string>> = {
  conversion: 'the video could not be converted',
  invalidFile: 'the file is not a video',
  emptyFile: 'the file is empty',
  tooSmall: 'the file is too small',
  codec: 'a codec of the file is not supported',
  uploadAborted: 'the upload was aborted',
};

/** Why YouTube rejects a video, in words. */
const REJECTIONS: Readonly<Record<string, string>> = {
  copyright: 'it infringes a copyright',
  inappropriate: 'it violates the community guidelines',
  duplicate: 'the channel already has this video',
  termsOfUse: 'it violates the terms of use',
  uploaderAccountSuspended: 'the account is suspended',
  length:
    'it is longer than the channel may upload; verify its phone number at https://www.youtube.com/verify for more than 15 minutes',
  claim: 'a rights holder claims it',
  uploaderAccountClosed: 'the account is closed',
  trademark: 'it infringes a trademark',
  legal: 'of a legal complaint',
};

/** Returns why a video failed or was rejected; null for one that did not. */
export function problemOf({
  status,
  processingDetails,
}: Video): { code: FailureCode; message: string } | null {
  switch (status?.uploadStatus) {
    case 'failed': {
      const reason = status.failureReason ?? processingDetails?.processingFailureReason ?? 'unknown reason';
      return {
        code: 'MEDIA_REJECTED',
        message: `YouTube could not process the video: ${FAILURES[reason] ?? reason} (${reason})`,
      };
    }
    case 'rejected': {
      const reason = status.rejectionReason ?? 'unknown reason';
      return {
        code: reason === 'duplicate' ? 'DUPLICATE_REJECTED' : 'CONTENT_REJECTED',
        message: `YouTube rejected the video because ${REJECTIONS[reason] ?? reason} (${reason})`,
      };
    }
    default:
      return null;
  }
}

/** True once YouTube has finished with the video. That its details have ended (`terminated`) says nothing. */
export const isProcessed = ({ status }: Video): boolean => status?.uploadStatus === 'processed';
