import * as v from 'valibot';
import { JsonObjectSchema, type Json, type JsonObject } from '../../../model/json.ts';
import type { SandboxHost, SandboxMedia } from '../../contract/sandbox.ts';
import type { SandboxAccount } from './accounts.ts';
import { checkPost, type BlobUse } from './record.ts';
import { canonical, cidOf, invalid, isObject, XrpcError } from './xrpc.ts';

const RecordSchema = v.object({
  uri: v.string(),
  cid: v.string(),
  value: JsonObjectSchema,
  indexedAt: v.string(),
});
export type StoredRecord = v.InferOutput<typeof RecordSchema>;

interface StoredBlob {
  mimeType: string;
  size: number;
  media: SandboxMedia;
  at: number;
  used: boolean;
}

export interface Write {
  collection: string;
  rkey: string;
  record: JsonObject;
  /** Undefined to overwrite, null if the key must be free, else the CID to replace. */
  swapRecord: Json | undefined;
  /** The whole input, for the published post. */
  input: JsonObject;
}

const POSTS = 'app.bsky.feed.post';
const UPLOAD_LIMIT = 52_428_800;
const UNUSED_BLOB_MS = 3600 * 1000;
const TID = /^[234567a-j][2-7a-z]{12}$/;
const NSID = /^[a-zA-Z][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9-]+)+\.[a-zA-Z]+$/;
const RECORD_KEY = /^(?!\.{1,2}$)[\w.:~-]{1,512}$/;

/** The repositories and blobs of all accounts. */
export function createRepo(host: SandboxHost) {
  const records = host.collection('records', RecordSchema);
  const blobs = new Map<string, StoredBlob>();
  let revision = 0n;

  async function upload(
    account: SandboxAccount,
    bytes: Uint8Array,
    contentType: string,
  ): Promise<JsonObject> {
    if (bytes.byteLength > UPLOAD_LIMIT) {
      throw new XrpcError(413, 'PayloadTooLarge', 'request entity too large');
    }
    const media = await host.storeMedia(bytes);
    const sniffed = media.type === 'application/octet-stream' ? contentType : media.type;
    const cid = cidOf('raw', bytes);
    const size = bytes.byteLength;
    blobs.set(`${account.did} ${cid}`, { mimeType: sniffed, size, media, at: host.now(), used: false });
    return { $type: 'blob', ref: { $link: cid }, mimeType: sniffed, size };
  }

  function put(account: SandboxAccount, write: Write): JsonObject {
    const uri = uriOf(account, write);
    const uses = checkRecord(write);
    const cid = cidOf('record', canonical(write.record));
    const existing = records.get(uri);
    if (existing?.cid === cid) return { uri, cid, ...VALID };
    checkSwap(existing, write.swapRecord);
    return store(account, write, uri, cid, uses);
  }

  function create(account: SandboxAccount, write: Write): JsonObject {
    const uri = uriOf(account, write);
    const uses = checkRecord(write);
    if (records.get(uri)) throw new XrpcError(500, 'InternalServerError', 'Internal Server Error');
    return store(account, write, uri, cidOf('record', canonical(write.record)), uses);
  }

  function remove(account: SandboxAccount, collection: string, rkey: string): JsonObject {
    const uri = uriOf(account, { collection, rkey });
    if (!records.delete(uri)) return {};
    host.unpublish('bluesky', uri);
    return { commit: commit() };
  }

  function read(account: SandboxAccount, collection: string, rkey: string): StoredRecord {
    const uri = uriOf(account, { collection, rkey });
    const record = records.get(uri);
    if (!record) throw new XrpcError(400, 'RecordNotFound', `Could not locate record: ${uri}`);
    return record;
  }

  function store(
    account: SandboxAccount,
    write: Write,
    uri: string,
    cid: string,
    uses: BlobUse[],
  ): JsonObject {
    const media = uses.map(use => useBlob(account, use));
    const indexedAt = new Date(host.now()).toISOString();
    host.unpublish('bluesky', uri);
    records.set(uri, { uri, cid, value: write.record, indexedAt });
    if (write.collection === POSTS) publish(account, write, uri, media, indexedAt);
    return { uri, cid, commit: commit(), ...VALID };
  }

  /** Throws unless the reference matches a recent upload of this account. */
  function useBlob(account: SandboxAccount, { cid, mimeType, size }: BlobUse): SandboxMedia {
    const blob = blobs.get(`${account.did} ${cid}`);
    if (!blob || (!blob.used && host.now() - blob.at > UNUSED_BLOB_MS)) {
      throw new XrpcError(400, 'BlobNotFound', `Could not find blob: ${cid}`);
    }
    if (blob.mimeType !== mimeType) {
      const detail = `Expected: ${blob.mimeType}, Got: ${mimeType}`;
      throw new XrpcError(
        400,
        'InvalidMimeType',
        `Referenced Mimetype does not match stored blob. ${detail}`,
      );
    }
    if (blob.size !== size) {
      const detail = `Expected: ${blob.size}, Got: ${size}`;
      throw new XrpcError(400, 'InvalidSize', `Referenced Size does not match stored blob. ${detail}`);
    }
    blob.used = true;
    return blob.media;
  }

  function publish(
    account: SandboxAccount,
    write: Write,
    uri: string,
    media: SandboxMedia[],
    at: string,
  ): void {
    const { text, embed } = write.record;
    const isCard = isObject(embed) && embed['$type'] === 'app.bsky.embed.external';
    host.publish({
      platform: 'bluesky',
      account: account.did,
      platform_post_id: uri,
      platform_post_url: `https://bsky.app/profile/${account.handle}/post/${write.rkey}`,
      kind: media.length > 0 && !isCard ? 'image' : 'text',
      text: typeof text === 'string' ? text : null,
      title: null,
      media: isCard ? [] : media,
      comments: [],
      fields: write.input,
      published_at: at,
    });
  }

  function commit(): JsonObject {
    revision += 1n;
    const rev = tidAt(host.now(), revision);
    return { cid: cidOf('record', rev), rev };
  }

  return {
    upload,
    put,
    create,
    remove,
    read,
    nextKey: () => tidAt(host.now(), (revision += 1n)),
    find: (uri: string) => records.get(uri),
    countOf: (account: SandboxAccount) =>
      records.values().filter(({ uri }) => uri.startsWith(`at://${account.did}/${POSTS}/`)).length,
    reset: () => {
      records.clear();
      blobs.clear();
    },
  };
}

const VALID = { validationStatus: 'valid' } as const;

function uriOf({ did }: SandboxAccount, { collection, rkey }: Pick<Write, 'collection' | 'rkey'>): string {
  if (!NSID.test(collection)) throw invalid('Input/collection must be a valid nsid');
  if (!RECORD_KEY.test(rkey)) throw invalid('Input/rkey must be a valid Record Key');
  return `at://${did}/${collection}/${rkey}`;
}

function checkRecord({ collection, rkey, record }: Write): BlobUse[] {
  if (record['$type'] !== collection) {
    throw invalid(`Invalid $type: expected ${collection}, got ${JSON.stringify(record['$type'] ?? null)}`);
  }
  if (collection !== POSTS) return [];
  if (!TID.test(rkey)) throw invalid(`Invalid record key for ${POSTS}: Invalid TID: ${rkey}`);
  return checkPost(record);
}

function checkSwap(existing: StoredRecord | undefined, swapRecord: Json | undefined): void {
  if (swapRecord === undefined || swapRecord === (existing?.cid ?? null)) return;
  throw new XrpcError(400, 'InvalidSwap', `Record was at ${existing?.cid ?? 'null'}`);
}

const TID_DIGITS = '234567abcdefghijklmnopqrstuvwxyz';

function tidAt(epochMs: number, count: bigint): string {
  let rest = ((BigInt(epochMs) * 1000n + count) << 10n) | (count % 1024n);
  let text = '';
  while (text.length < 13) {
    text = TID_DIGITS.charAt(Number(rest % 32n)) + text;
    rest /= 32n;
  }
  return text;
}
