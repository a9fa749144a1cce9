import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { DAY } from '../time/instant.ts';
import { ttl, type Key, type Table } from './table.ts';

/** One post's place under the daily cap of a connected account. */
export interface CapReservationItem {
  account_id: string;
  post_id: string;
  /** When the post goes live, epoch milliseconds. */
  at: number;
  /** When the place was taken. */
  taken_at: number;
}

const PREFIX = 'CAP#';

/** Sorts by time, then by post. Thirteen digits reach to the year 2286. */
const placeKey = ({
  account_id,
  at,
  post_id,
}: Pick<CapReservationItem, 'account_id' | 'at' | 'post_id'>): Key => ({
  PK: `ACCOUNT#${account_id}`,
  SK: `${PREFIX}${at}#${post_id}`,
});

/** Takes a place. Taking it again changes nothing. */
export async function putCapReservation(table: Table, place: CapReservationItem): Promise<void> {
  const item = { ...placeKey(place), taken_at: place.taken_at, expires_at: ttl(place.at + 2 * DAY) };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
}

/** Gives a place back; one that is gone is no fault. */
export async function deleteCapReservation(
  table: Table,
  place: Pick<CapReservationItem, 'account_id' | 'at' | 'post_id'>,
): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: placeKey(place) }));
}

const PlaceItems = v.array(v.object({ SK: v.string(), taken_at: v.number() }));

/** Places of an account in `(after, until]`, in order, as they are at this moment. */
export async function listCapReservations(
  table: Table,
  accountId: string,
  after: number,
  until: number,
): Promise<CapReservationItem[]> {
  const places: CapReservationItem[] = [];
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
    places.push(...v.parse(PlaceItems, page.Items ?? []).map(item => placeOf(accountId, item)));
    start = page.LastEvaluatedKey;
  } while (start);
  return places;
}

function placeOf(accountId: string, { SK, taken_at }: { SK: string; taken_at: number }): CapReservationItem {
  const [at = '', postId = ''] = SK.slice(PREFIX.length).split('#');
  return { account_id: accountId, at: Number(at), post_id: postId, taken_at };
}
