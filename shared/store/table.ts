import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createHash } from 'node:crypto';

/** The single table. Only the modules of this folder build keys. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

export interface Key {
  PK: string;
  SK: string;
}

/** Sparse, keys-only index of the items that need attention at `wake_at` (epoch milliseconds). */
export const WAKE_INDEX = 'wake';
export const WAKE_SHARDS = 8;

/** Returns the partition of the wake index for an id. */
export function wakeShard(id: string): string {
  return `WAKE#${shardOf(id)}`;
}

/** Returns the shard of an id, 0 to 7. */
export function shardOf(id: string): number {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % WAKE_SHARDS;
}

export const workspaceKey = (workspaceId: string) => `WS#${workspaceId}`;

const MAX_TRIES = 6;
const BASE_PAUSE_MS = 10;

/**
 * Runs a conditional write. Returns false when its condition failed; retries after a conflict with a running
 * transaction; throws any other error.
 */
export async function writeIfUnchanged(write: () => Promise<unknown>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write();
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      if (!(error instanceof TransactionConflictException) || attempt === MAX_TRIES) throw error;
      await new Promise(resolve => setTimeout(resolve, Math.random() * BASE_PAUSE_MS * 2 ** attempt));
    }
  }
}

/** Converts epoch milliseconds to the epoch seconds of DynamoDB's TTL. */
export const ttl = (epochMs: number) => Math.floor(epochMs / 1000);
