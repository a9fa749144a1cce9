import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { MINUTE } from '../time/instant.ts';
import { ttl, type Key, type Table } from './table.ts';

/*
 * A token bucket is one number: when it will be full again (epoch milliseconds). It refills in a minute, so a bucket
 * that is full in a minute from now is empty, and a token costs the time in which it refills.
 */

const bucketKey = (keyId: string): Key => ({ PK: `RATE#${keyId}`, SK: 'BUCKET' });

/** Longest that the limiter may keep a request waiting, milliseconds. */
const PATIENCE_MS = 500;

const BucketSchema = v.object({ full_at: v.number() });
/** An item as DynamoDB writes it: the document client leaves that of a failed condition as it is. */
const RawBucketSchema = v.object({ full_at: v.object({ N: v.pipe(v.string(), v.transform(Number)) }) });

export interface Taken {
  /** Whether the tokens were taken. */
  taken: boolean;
  full_at: number;
}

/**
 * Takes tokens of `costMs`. `lastSeen` is the bucket as far as the caller knows it: DynamoDB's expressions know no
 * maximum, so a bucket that is full needs another expression than one that is not. Where the caller's knowledge is old
 * nothing is taken and the bucket comes back as it is.
 */
export async function takeTokens(
  table: Table,
  keyId: string,
  costMs: number,
  now: number,
  lastSeen: number,
): Promise<Taken> {
  const expression = lastSeen > now ? fromOpenBucket(costMs, now) : fromFullBucket(costMs, now);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: bucketKey(keyId),
    ...expression,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await table.client.send(command, {
      abortSignal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { taken: true, full_at: v.parse(BucketSchema, Attributes).full_at };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { taken: false, full_at: error.Item ? v.parse(RawBucketSchema, error.Item).full_at.N : now };
  }
}

const expires = (now: number) => ttl(now + 5 * MINUTE);

/** When a key's bucket is full again; null for one that is full. */
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

function fromOpenBucket(costMs: number, now: number) {
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
