import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY } from '../time/instant.ts';
import { ttl, writeIfUnchanged, type Key, type Table } from './table.ts';

/*
 * One item per (app or account, bucket, period). `committed` counts the units that are spent or reserved: a single number,
 * so that the limit is a condition of one update and exact under concurrency. Each reservation is an attribute of its own.
 */

/** Names the count of one bucket in one period. */
export interface QuotaRef {
  /** The platform and its app or account. */
  owner: string;
  bucket: string;
  period: string;
}

/** What an update must respect. */
export interface QuotaLimit {
  limit: number;
  /** End of the period, epoch milliseconds. */
  resets_at: number;
  now: number;
}

/** Units that are set aside. */
export interface QuotaReservation {
  units: number;
  /** Epoch milliseconds. From then on anyone who needs the units may release them. */
  expires_at: number;
}

export interface QuotaCount {
  committed: number;
  /** The platform said that the bucket is exhausted until then, epoch milliseconds; 0 where it did not. */
  exhausted_until: number;
  reservations: ReadonlyMap<string, QuotaReservation>;
}

/** How long counts are kept after their period. */
const RETENTION_MS = 7 * DAY;
const RESERVATION_PREFIX = 'reservation#';

const quotaKey = ({ owner, bucket, period }: QuotaRef): Key => ({
  PK: `QUOTA#${owner}`,
  SK: `${bucket}#${period}`,
});

const ReservationSchema = v.object({ units: v.number(), expires_at: v.number() });
const CountSchema = v.object({
  committed: v.optional(v.number(), 0),
  exhausted_until: v.optional(v.number(), 0),
});

export async function getQuota(table: Table, ref: QuotaRef): Promise<QuotaCount> {
  const { Item = {} } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: quotaKey(ref), ConsistentRead: true }),
  );
  const reservations = Object.entries(Item)
    .filter(([name]) => name.startsWith(RESERVATION_PREFIX))
    .map(([name, value]): [string, QuotaReservation] => [
      name.slice(RESERVATION_PREFIX.length),
      v.parse(ReservationSchema, value),
    ]);
  return { ...v.parse(CountSchema, Item), reservations: new Map(reservations) };
}

/** Commits units. Returns false, and commits nothing, when they exceed the limit or the bucket is exhausted. */
export function commitUnits(table: Table, ref: QuotaRef, units: number, limit: QuotaLimit): Promise<boolean> {
  return update(table, ref, limit, {
    committed: units,
    assignments: [],
    conditions: [],
    names: {},
    values: {},
  });
}

/** Commits units under a reservation. Returns false when they do not fit or the reservation exists already. */
export function addReservation(
  table: Table,
  ref: QuotaRef,
  id: string,
  reservation: QuotaReservation,
  limit: QuotaLimit,
): Promise<boolean> {
  return update(table, ref, limit, {
    committed: reservation.units,
    assignments: ['#reservation = :reservation'],
    conditions: ['attribute_not_exists(#reservation)'],
    names: { '#reservation': RESERVATION_PREFIX + id },
    values: { ':reservation': reservation },
  });
}

/**
 * Spends units, those of a reservation first. Returns false when the rest exceeds the limit, the bucket is exhausted, or the
 * reservation is no longer as it was read.
 */
export function spendReserved(
  table: Table,
  ref: QuotaRef,
  id: string,
  reservation: QuotaReservation,
  units: number,
  limit: QuotaLimit,
): Promise<boolean> {
  const reserved = Math.min(units, reservation.units);
  return update(table, ref, limit, {
    committed: units - reserved,
    assignments: ['#reservation = :rest'],
    conditions: ['#reservation = :reservation'],
    names: { '#reservation': RESERVATION_PREFIX + id },
    values: {
      ':reservation': reservation,
      ':rest': { ...reservation, units: reservation.units - reserved },
    },
  });
}

/** Gives back the units of a reservation. Returns false when it is no longer as it was read. */
export function removeReservation(
  table: Table,
  ref: QuotaRef,
  id: string,
  reservation: QuotaReservation,
): Promise<boolean> {
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: quotaKey(ref),
        UpdateExpression: 'ADD committed :less REMOVE #reservation',
        ConditionExpression: '#reservation = :reservation',
        ExpressionAttributeNames: { '#reservation': RESERVATION_PREFIX + id },
        ExpressionAttributeValues: { ':less': -reservation.units, ':reservation': reservation },
      }),
    ),
  );
}

/** Records that the platform called the bucket exhausted until a time, epoch milliseconds. A later time wins. */
export async function setExhausted(
  table: Table,
  ref: QuotaRef,
  until: number,
  resetsAt: number,
): Promise<void> {
  await writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: quotaKey(ref),
        UpdateExpression: 'SET exhausted_until = :until, expires_at = :expires',
        ConditionExpression: 'attribute_not_exists(exhausted_until) OR exhausted_until < :until',
        ExpressionAttributeValues: { ':until': until, ':expires': ttl(resetsAt + RETENTION_MS) },
      }),
    ),
  );
}

interface Change {
  /** Units to commit. */
  committed: number;
  assignments: readonly string[];
  conditions: readonly string[];
  names: Record<string, string>;
  values: Record<string, unknown>;
}

/** Applies a change on the condition that the limit holds and the bucket is not exhausted. */
async function update(
  table: Table,
  ref: QuotaRef,
  { limit, resets_at, now }: QuotaLimit,
  change: Change,
): Promise<boolean> {
  if (change.committed > limit) return false;
  const conditions = [
    '(attribute_not_exists(exhausted_until) OR exhausted_until <= :now)',
    '(attribute_not_exists(committed) OR committed <= :most)',
    ...change.conditions,
  ];
  return writeIfUnchanged(() =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: quotaKey(ref),
        UpdateExpression: `ADD committed :units SET ${['expires_at = :expires', ...change.assignments].join(', ')}`,
        ConditionExpression: conditions.join(' AND '),
        ...(Object.keys(change.names).length > 0 && { ExpressionAttributeNames: change.names }),
        ExpressionAttributeValues: {
          ':units': change.committed,
          ':most': limit - change.committed,
          ':now': now,
          ':expires': ttl(resets_at + RETENTION_MS),
          ...change.values,
        },
      }),
    ),
  );
}
