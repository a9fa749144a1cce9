import { publicIdIn, publishStatus } from './client.ts';
import { resumeAt } from './chunks.ts';
import { callerOf, type Context, type Upload } from './state.ts';

/** How far TikTok is with a post. */
export type Standing =
  /** Waiting for bytes. `offset`: where to continue; null where TikTok does not say. */
  | { type: 'uploading'; offset: number | null }
  | { type: 'working' }
  /** `id`: of the public post; null until TikTok names it. */
  | { type: 'live'; id: string | null }
  | { type: 'inbox' }
  | { type: 'failed'; reason: string };

/** Reads the status of a process. `upload`: its upload, while bytes may be missing. Throws PlatformError. */
export async function standingOf(
  context: Context,
  publishId: string,
  upload: Upload | null,
): Promise<Standing> {
  const status = await publishStatus(callerOf(context), publishId);
  switch (status.status) {
    case 'PUBLISH_COMPLETE':
      return { type: 'live', id: publicIdIn(status) };
    case 'SEND_TO_USER_INBOX':
      return { type: 'inbox' };
    case 'FAILED':
      return { type: 'failed', reason: status.fail_reason };
    case 'PROCESSING_UPLOAD':
      return upload ? uploadStanding(upload, status.uploaded_bytes) : { type: 'working' };
    default:
      return { type: 'working' };
  }
}

function uploadStanding(upload: Upload, bytes: number | undefined): Standing {
  if (bytes === undefined) return { type: 'uploading', offset: null };
  const offset = resumeAt(upload, bytes);
  return offset < upload.size ? { type: 'uploading', offset } : { type: 'working' };
}
