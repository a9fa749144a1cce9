import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY } from '../time/instant.ts';
import { ttl, type Key, type Table } from './table.ts';

/** One post's reservation under the daily cap of a connected account. */
export interface CapReservationItem {
  account_id: string;
  post_id: string;
  /** When the post goes live. Epoch milliseconds. */
  at: number;
  /** When the reservation was written. Epoch milliseconds. */
  taken_at: number;
}

const PREFIX = 'CAP#';

/** Sorts by time, then by post. Thirteen digits suffice until the year 2286. */
const reservationKey = ({
  account_id,
  at,
  post_id,
}: Pick<CapReservationItem, 'account_id' | 'at' | 'post_id'>): Key => ({
  PK: `ACCOUNT#${account_id}`,
  SK: `${PREFIX}${at}#${post_id}`,
});

/** Writes a reservation. Idempotent. */
export async function putCapReservation(table: Table, reservation: CapReservationItem): Promise<void> {
  const item = {
    ...reservationKey(reservation),
    taken_at: reservation.taken_at,
    expires_at: ttl(reservation.at + 2 * DAY),
  };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** Deletes a reservation. Succeeds when it does not exist. */
export async function deleteCapReservation(
  table: Table,
  reservation: Pick<CapReservationItem, 'account_id' | 'at' | 'post_id'>,
): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: reservationKey(reservation) }));
}

const ReservationItems = v.array(v.object({ SK: v.string(), taken_at: v.number() }));

/** Returns the reservations of an account in `(after, until]` in order of time. Reads consistently. */
export async function listCapReservations(
  table: Table,
  accountId: string,
  after: number,
  until: number,
): Promise<CapReservationItem[]> {
  const reservations: CapReservationItem[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :pk AND SK BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': `ACCOUNT#${accountId}`,
          ':first': `${PREFIX}${after + 1}`,
          ':last': `${PREFIX}${until}$`,
        },
        ConsistentRead: true,
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    );
    reservations.push(...v.parse(ReservationItems, page.Items ?? []).map(item => parseItem(accountId, item)));
    start = page.LastEvaluatedKey;
  } while (start);
  return reservations;
}

function parseItem(
  accountId: string,
  { SK, taken_at }: { SK: string; taken_at: number },
): CapReservationItem {
  const [at = '', postId = ''] = SK.slice(PREFIX.length).split('#');
  return { account_id: accountId, at: Number(at), post_id: postId, taken_at };
}
