import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createHash } from 'node:crypto';

/** The one table. Every module of this folder takes it as its first argument; nothing outside knows a key. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

export interface Key {
  PK: string;
  SK: string;
}

/** The sparse index of everything that should have moved by `wake_at` (epoch milliseconds). Keys only. */
export const WAKE_INDEX = 'wake';
export const WAKE_SHARDS = 8;

/** Spreads items over the index's partitions. */
export function wakeShard(id: string): string {
  return `WAKE#${shardOf(id)}`;
}

/** The same of eight shards for the same id. */
export function shardOf(id: string): number {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % WAKE_SHARDS;
}

export const workspaceKey = (workspaceId: string) => `WS#${workspaceId}`;

const TRIES = 6;
const FIRST_WAIT_MS = 10;

/**
 * Runs a conditional write; false when its condition did not hold. A transaction that holds the item at this moment is
 * waited for. Everything else throws.
 */
export async function holds(write: () => Promise<unknown>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write();
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      if (!(error instanceof TransactionConflictException) || attempt === TRIES) throw error;
      await new Promise(resolve => setTimeout(resolve, Math.random() * FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

/** Seconds since 1970, as DynamoDB's TTL wants them. */
export const ttl = (epochMs: number) => Math.floor(epochMs / 1000);
