/** What a client needs to know about a code of the API's error responses. */
export interface ErrorCodeDoc {
  cause: string;
  remedy: string;
  /** Whether the same request can succeed later, without a change by the caller. */
  retryable: boolean;
  /** A response with this code. */
  example: { readonly error: string; readonly [field: string]: unknown };
}

/** Every `code` of the API's error responses. The OpenAPI document and `docs/errors.md` are generated from this table. */
export const ERROR_CODES = {
  INVALID_UTF8: {
    cause: 'The request body is not valid UTF-8, or contains the replacement character U+FFFD.',
    remedy: 'Encode the body as UTF-8. Write the replacement character as `\\ufffd`.',
    retryable: false,
    example: {
      error:
        'The request body is not valid UTF-8, or contains U+FFFD, which JSON can contain as \\ufffd only',
    },
  },
  MALFORMED_FORM: {
    cause: 'The multipart form cannot be read.',
    remedy: 'Let your HTTP library write the form and its `Content-Type`.',
    retryable: false,
    example: { error: 'Malformed multipart form data: Unexpected end of form' },
  },
  BAD_STATE: {
    cause: 'The `state` of a connection is unknown, expired or already used.',
    remedy: 'Start again with `POST /integrations/{platform}/connect`.',
    retryable: false,
    example: { error: 'This connection has expired or was already completed. Connect the account again' },
  },
  BAD_SIGNATURE: {
    cause: 'A signed request of a platform was not signed with the secret of an app of the service.',
    remedy: "Register the app's secret with the service.",
    retryable: false,
    example: { error: 'The signature does not belong to an app of this service' },
  },
  KEY_SCOPE: {
    cause: 'The API key is restricted, and the request is outside of its scopes or profiles.',
    remedy: 'Use another key, or create one with the scope that the operation names in `x-required-scope`.',
    retryable: false,
    example: { error: 'This API key does not have the scope manage, which this request needs' },
  },
  KEY_LIMIT: {
    cause: 'The workspace has as many API keys as its plan allows.',
    remedy: 'Revoke a key, or upgrade the plan.',
    retryable: false,
    example: {
      error: 'The starter plan allows 10 API keys, and all of them are in use; revoke one first',
      limit: 10,
    },
  },
  STORAGE_LIMIT: {
    cause: 'The file does not fit into the storage of the plan.',
    remedy: 'Delete uploads, or upgrade the plan.',
    retryable: false,
    example: {
      error:
        'Storage limit reached: 10737000000 of 10737418240 bytes are in use; delete files or upgrade the plan',
      limit: 10_737_418_240,
      used: 10_737_000_000,
    },
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use a method that the `Allow` header lists.',
    retryable: false,
    example: { error: 'Method not allowed' },
  },
  IDEMPOTENCY_KEY_IN_USE: {
    cause: 'A request with this `Idempotency-Key` is still running.',
    remedy: 'Send it again with the same key after a second.',
    retryable: true,
    example: { error: 'A request with this Idempotency-Key is still running; retry later' },
  },
  POST_NOT_EDITABLE: {
    cause: 'A destination of the post is no longer pending.',
    remedy: 'Create a new post. `status` says what became of this one.',
    retryable: false,
    example: { error: 'The post is published and can no longer be changed', status: 'published' },
  },
  BROADCAST_NOT_STOPPABLE: {
    cause: 'The live broadcast is over already.',
    remedy: 'Nothing is left to stop.',
    retryable: false,
    example: { error: 'The broadcast is over already: its status is completed', status: 'completed' },
  },
  LIVE_NOT_ENABLED: {
    cause: 'The deployment streams no playlists (setting `live`).',
    remedy:
      'Create the broadcast without `playlist_id` and stream with your own encoder, or deploy with `live: true`.',
    retryable: false,
    example: { error: 'This deployment streams no playlists' },
  },
  POST_NOT_DELETABLE: {
    cause: 'The post is published or is being published.',
    remedy: 'Delete it on the platform.',
    retryable: false,
    example: {
      error: 'The post is published or being published and can no longer be deleted',
      status: 'published',
    },
  },
  POST_NOT_RETRYABLE: {
    cause: 'None of the named destinations has failed.',
    remedy: 'Read the post: `destinations` has the state of each.',
    retryable: false,
    example: { error: 'None of the destinations has failed', status: 'published' },
  },
  POST_MAY_BE_LIVE: {
    cause: 'The response to the publishing request was lost, so the post may be live.',
    remedy: 'Look at the account. If the post is not there, retry with `even_if_live: true`.',
    retryable: false,
    example: {
      error: 'Nothing was retried: Check the account on Telegram; retry with even_if_live if it is not there',
    },
  },
  POST_CHANGED: {
    cause: 'Another request changed the post at the same time.',
    remedy: 'Read the post and decide again.',
    retryable: true,
    example: {
      error: 'Another request changed the post at the same time. Read the post and try again',
      status: 'scheduled',
    },
  },
  POST_DELETED: {
    cause: 'The post was deleted while it was being created.',
    remedy: 'Create it again with a new `Idempotency-Key`.',
    retryable: false,
    example: { error: 'The post was deleted while it was being created' },
  },
  NOT_UPLOADED: {
    cause: 'Nothing has been uploaded to the presigned URL, or not every part.',
    remedy: 'Upload the bytes, then confirm again.',
    retryable: true,
    example: { error: 'Nothing has been uploaded yet' },
  },
  UPLOAD_EXPIRED: {
    cause: 'The presigned URL expired before anything was uploaded.',
    remedy: 'Request a new one with `POST /upload-media/presign`.',
    retryable: false,
    example: { error: 'The presigned URL expired before anything was uploaded. Request a new one' },
  },
  UPLOAD_IN_USE: {
    cause: 'Posts are still to be published with this file.',
    remedy: 'Wait for the posts in `post_ids`, or delete them first.',
    retryable: true,
    example: {
      error: 'Posts are still to be published with this file',
      post_ids: ['018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c7d01'],
    },
  },
  UPLOAD_BUSY: {
    cause: 'The file is being imported or checked.',
    remedy: 'Try again when its `status` is no longer `processing`.',
    retryable: true,
    example: { error: 'The file is being imported or checked. Try again later' },
  },
  MEMBER_EXISTS: {
    cause: 'The e-mail address is already a member of the workspace.',
    remedy: 'Change the existing member with `PATCH /workspace/members/{id}`.',
    retryable: false,
    example: { error: 'This e-mail address is already a member of the workspace' },
  },
  LAST_OWNER: {
    cause: 'The workspace would be left without an owner.',
    remedy: 'Make another member an owner first.',
    retryable: false,
    example: { error: 'A workspace must keep at least one owner; make another member an owner first' },
  },
  WEBHOOK_LIMIT: {
    cause: 'The workspace has as many webhooks as it may have.',
    remedy: 'Delete one first.',
    retryable: false,
    example: { error: 'A workspace can have at most 20 webhooks. Delete one first.' },
  },
  WEBHOOK_DISABLED: {
    cause: 'The webhook is disabled.',
    remedy: 'Mend the receiver, then enable the webhook with `PATCH {"active": true}`.',
    retryable: false,
    example: {
      error: 'The webhook is disabled. Enable it with PATCH {"active": true}.',
      disabled_reason: 'failing',
    },
  },
  WEBHOOK_CHANGED: {
    cause: 'Another request rotated the secret at the same time.',
    remedy: 'Use the secret that the other request returned, or rotate again.',
    retryable: true,
    example: { error: 'Another request rotated the secret at the same time' },
  },
  BODY_TOO_LARGE: {
    cause: 'The request body exceeds `max_bytes`.',
    remedy: 'Send less. Upload files with `POST /upload-media/presign`.',
    retryable: false,
    example: { error: 'The request body exceeds 1048576 bytes', max_bytes: 1_048_576 },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The content type of the request body is not supported.',
    remedy: 'Send JSON with `Content-Type: application/json`.',
    retryable: false,
    example: { error: 'Content-Type must be application/json' },
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: 'The `Idempotency-Key` was used for a different request in the last 24 hours.',
    remedy: 'Use a new key for a new request.',
    retryable: false,
    example: { error: 'This Idempotency-Key was already used for a different request; use a new key' },
  },
  RATE_LIMITED: {
    cause: 'The API key or its workspace has used its requests of this minute.',
    remedy: 'Wait for `retry_after` seconds.',
    retryable: true,
    example: { error: 'This API key may send 60 requests per minute; retry after 1 s', retry_after: 1 },
  },
  AI_LIMIT: {
    cause: 'The workspace has used the AI requests of this month.',
    remedy: 'Wait until `resets_at`, or upgrade the plan.',
    retryable: true,
    example: {
      error: 'The monthly limit of 100 AI requests of the starter plan is reached',
      limit: 100,
      used: 100,
      resets_at: '2027-01-01T00:00:00.000Z',
    },
  },
  PLATFORM_RATE_LIMIT: {
    cause: 'The platform accepts no more requests or posts of this account for now.',
    remedy: 'Wait for `retry_after` seconds.',
    retryable: true,
    example: {
      error: 'Instagram accepts 50 posts in 24 hours',
      retry_after: 3600,
      platform: 'instagram',
      limit: 50,
      resets_at: '2026-12-01T11:00:00.000Z',
    },
  },
  PLATFORM_UNAVAILABLE: {
    cause: 'The platform does not answer, or answers with an error of its own.',
    remedy: 'Try again after `retry_after` seconds.',
    retryable: true,
    example: { error: 'The platform is not responding', platform: 'x', retry_after: 60 },
  },
  INTERNAL: {
    cause: 'The service misunderstood the platform.',
    remedy: 'Try again; if it fails again, report it with the request id.',
    retryable: true,
    example: { error: 'Unexpected response of X', platform: 'x', retry_after: 60 },
  },
  PLATFORM_NOT_AVAILABLE: {
    cause: 'This version of the service cannot connect the platform.',
    remedy: 'Upgrade the service.',
    retryable: false,
    example: { error: 'This version of the service cannot connect Snapchat yet', platform: 'snapchat' },
  },
  PLATFORM_NOT_CONFIGURED: {
    cause: 'No app is set for the platform.',
    remedy:
      'An owner sets one of the workspace with `PUT /workspace/platform-apps/{platform}`, or the operator one for all with `npm run admin -- platform set`.',
    retryable: false,
    example: {
      error: 'No x app is set. An owner of the workspace can set its own with PUT /workspace/platform-apps/x',
      platform: 'x',
    },
  },
  QUEUE_BUSY: {
    cause: 'Too many requests asked for a slot of the same queue at the same time.',
    remedy: 'Try again after a second.',
    retryable: true,
    example: { error: 'The queue of this profile is busy. Try again' },
  },
  AI_UNAVAILABLE: {
    cause: 'The AI provider returned no usable answer. The request is not counted.',
    remedy: 'Try again later.',
    retryable: true,
    example: {
      error: 'The AI provider returned no usable answer. Try again later. This request is not counted.',
    },
  },
} as const satisfies Readonly<Record<string, ErrorCodeDoc>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Returns the documentation of an error code; undefined if the API has no such code. */
export function errorCodeDoc(code: string): ErrorCodeDoc | undefined {
  return Object.hasOwn(ERROR_CODES, code) ? TABLE[code] : undefined;
}

const TABLE: Readonly<Record<string, ErrorCodeDoc>> = ERROR_CODES;
