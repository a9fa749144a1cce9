import * as v from 'valibot';
import { SECOND } from '../../time/instant.ts';
import { CreatedSchema, GraphId } from '../families/meta/json.ts';
import { onAccount, onObject, publishingTo, type Accesses } from './access.ts';

/* The calls that publish: containers, their status, the publishing limit. All throw PlatformError. */

/** Instagram fetches an image while the request waits. */
const CREATE_TIMEOUT_MS = 45 * SECOND;
/** A lost publishing request is reconciled afterwards. */
const PUBLISH_TIMEOUT_MS = 45 * SECOND;

const NewContainerSchema = v.object({ id: GraphId, uri: v.optional(v.string()) });
export type NewContainer = v.InferOutput<typeof NewContainerSchema>;

/** Creates a container. `parameters` are sent as a form: JSON bodies are said to lose optional parameters. */
export function createContainer(
  accesses: Accesses,
  what: string,
  parameters: Readonly<Record<string, string>>,
): Promise<NewContainer> {
  const call = { what, purpose: 'prepare', method: 'POST', form: parameters } as const;
  return onAccount(accesses, (client, id) =>
    client.call({ ...call, path: `/${id}/media`, timeoutMs: CREATE_TIMEOUT_MS }, NewContainerSchema),
  );
}

const StatusSchema = v.object({
  status_code: v.string(),
  status: v.optional(v.string(), ''),
});

export interface ContainerStatus {
  /** IN_PROGRESS, FINISHED, PUBLISHED, ERROR or EXPIRED. */
  code: string;
  /** Free text; for an error it holds the subcode. */
  text: string;
}

export async function containerStatus(accesses: Accesses, id: string): Promise<ContainerStatus> {
  const query = { fields: 'status_code,status' };
  const call = { what: 'Reading the media status', purpose: 'read', method: 'GET', query } as const;
  const { status_code: code, status: text } = await onObject(accesses, client =>
    client.call({ ...call, path: `/${id}` }, StatusSchema),
  );
  return { code, text };
}

/** Makes the content of a container visible and returns the id of the media. */
export async function publishContainer(accesses: Accesses, containerId: string): Promise<string> {
  const form = { creation_id: containerId };
  const call = { what: 'Publishing', purpose: 'commit', method: 'POST', form } as const;
  const { id } = await publishingTo(accesses, (client, account) =>
    client.call({ ...call, path: `/${account}/media_publish`, timeoutMs: PUBLISH_TIMEOUT_MS }, CreatedSchema),
  );
  return id;
}

const LimitSchema = v.object({
  data: v.array(
    v.object({
      quota_usage: v.number(),
      config: v.optional(v.object({ quota_total: v.optional(v.number()) })),
    }),
  ),
});

export interface PublishingLimit {
  used: number;
  /** Null where Instagram does not say. */
  total: number | null;
}

/** Returns how many posts the account published in the last 24 hours, and how many it may publish. */
export async function publishingLimit(accesses: Accesses): Promise<PublishingLimit> {
  const query = { fields: 'quota_usage,config' };
  const call = { what: 'Reading the publishing limit', purpose: 'read', method: 'GET', query } as const;
  const { data } = await onAccount(accesses, (client, id) =>
    client.call({ ...call, path: `/${id}/content_publishing_limit` }, LimitSchema),
  );
  return { used: data[0]?.quota_usage ?? 0, total: data[0]?.config?.quota_total ?? null };
}

const UploadStatusSchema = v.object({
  video_status: v.optional(
    v.object({
      uploading_phase: v.optional(
        v.object({
          bytes_transferred: v.optional(v.number()),
          bytes_transfered: v.optional(v.number()),
        }),
      ),
    }),
  ),
});

/** Returns how many bytes of a resumable upload have arrived. */
export async function uploadedBytes(accesses: Accesses, id: string): Promise<number> {
  const query = { fields: 'video_status' };
  const call = { what: 'Reading the upload status', purpose: 'read', method: 'GET', query } as const;
  const { video_status: status } = await onObject(accesses, client =>
    client.call({ ...call, path: `/${id}` }, UploadStatusSchema),
  );
  const { bytes_transferred, bytes_transfered } = status?.uploading_phase ?? {};
  return bytes_transferred ?? bytes_transfered ?? 0;
}
