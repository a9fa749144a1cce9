import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { MINUTE } from '../time/instant.ts';
import { ttl, type Key, type Table } from './table.ts';

/*
 * A token bucket is stored as one number: when it will be full again (epoch milliseconds). An empty bucket refills in
 * one minute, so a token costs the time in which it refills.
 */

const bucketKey = (keyId: string): Key => ({ PK: `RATE#${keyId}`, SK: 'BUCKET' });

/** Longest time that the limiter may delay a request, milliseconds. */
const TIMEOUT_MS = 500;

const BucketSchema = v.object({ full_at: v.number() });
/** In DynamoDB's own format: the document client does not convert the item of a failed condition. */
const RawBucketSchema = v.object({ full_at: v.object({ N: v.pipe(v.string(), v.transform(Number)) }) });

export interface TakeResult {
  /** Whether the tokens were taken. */
  taken: boolean;
  full_at: number;
}

/**
 * Takes tokens that cost `costMs`. `lastSeen` is `full_at` as the caller last saw it: DynamoDB expressions have no
 * maximum function, so a full bucket needs another expression than one that is not full. If the caller's value is
 * stale, nothing is taken and the current value is returned.
 */
export async function takeTokens(
  table: Table,
  keyId: string,
  costMs: number,
  now: number,
  lastSeen: number,
): Promise<TakeResult> {
  const expression = lastSeen > now ? fromPartialBucket(costMs, now) : fromFullBucket(costMs, now);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: bucketKey(keyId),
    ...expression,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await table.client.send(command, {
      abortSignal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { taken: true, full_at: v.parse(BucketSchema, Attributes).full_at };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { taken: false, full_at: error.Item ? v.parse(RawBucketSchema, error.Item).full_at.N : now };
  }
}

const expires = (now: number) => ttl(now + 5 * MINUTE);

/** When a bucket is full again; null if it is full. */
export async function readBucket(table: Table, keyId: string): Promise<number | null> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: bucketKey(keyId) }));
  return Item ? v.parse(BucketSchema, Item).full_at : null;
}

function fromFullBucket(costMs: number, now: number) {
  return {
    UpdateExpression: 'SET full_at = :next, expires_at = :expires',
    ConditionExpression: 'attribute_not_exists(full_at) OR full_at <= :now',
    ExpressionAttributeValues: { ':now': now, ':next': now + costMs, ':expires': expires(now) },
  };
}

function fromPartialBucket(costMs: number, now: number) {
  return {
    UpdateExpression: 'SET full_at = full_at + :cost, expires_at = :expires',
    ConditionExpression: 'full_at > :now AND full_at <= :latest',
    ExpressionAttributeValues: {
      ':now': now,
      ':cost': costMs,
      ':latest': now + MINUTE - costMs,
      ':expires': expires(now),
    },
  };
}
