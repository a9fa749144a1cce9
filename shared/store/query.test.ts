import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { getItems } from './query.ts';
import type { Key, Table } from './table.ts';

interface Request {
  Keys: Key[];
}

/** A table that answers at most `most` keys of a request, as a throttled one does. */
function throttledTable(most: number): { table: Table; requests: Request[] } {
  const requests: Request[] = [];
  const send = ({ input }: { input: { RequestItems: Record<string, Request> } }) => {
    const request = input.RequestItems['table']!;
    requests.push(request);
    const left = request.Keys.slice(most);
    return Promise.resolve({
      Responses: { table: request.Keys.slice(0, most) },
      UnprocessedKeys: left.length === 0 ? {} : { table: { ...request, Keys: left } },
    });
  };
  return { table: { name: 'table', client: { send } } as unknown as Table, requests };
}

const keys = (count: number): Key[] =>
  Array.from({ length: count }, (_, n) => ({ PK: 'WS#1', SK: `A#${n}` }));
const KeySchema = v.object({ PK: v.string(), SK: v.string() });

test.each([0, 1, 100, 101, 250])('%i items are read a hundred at a time', async count => {
  const { table, requests } = throttledTable(Infinity);
  expect(await getItems(table, keys(count), KeySchema)).toEqual(keys(count));
  expect(requests).toHaveLength(Math.ceil(count / 100));
});

test('what a throttled table leaves out is read again', async () => {
  const { table, requests } = throttledTable(3);
  expect(await getItems(table, keys(7), KeySchema, { consistent: true, attributes: 'PK, SK' })).toEqual(
    keys(7),
  );
  expect(requests).toHaveLength(3);
  expect(requests.at(-1)).toEqual({
    Keys: keys(7).slice(6),
    ConsistentRead: true,
    ProjectionExpression: 'PK, SK',
  });
});
