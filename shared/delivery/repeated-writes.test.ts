import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { leased } from './transitions.ts';
import { saveDestination } from '../store/posts.ts';
import type { Table } from '../store/table.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());

/** Returns a table whose first write is sent twice, as the SDK does when the response is lost. */
function withRepeatedWrite(table: Table): Table {
  let lost = false;
  const send = async (command: { constructor: { name: string } }) => {
    const isFirstWrite = command.constructor.name === 'UpdateCommand' && !lost;
    if (isFirstWrite) {
      lost = true;
      await table.client.send(command as never);
    }
    return table.client.send(command as never);
  };
  return { name: table.name, client: { send } as unknown as Table['client'] };
}

test('saveDestination recognises its own write when the SDK repeats it', async () => {
  const post = await world.store();
  const from = post.destinations.x!;
  const after = await saveDestination(
    withRepeatedWrite(world.table),
    post,
    from,
    leased(from, world.clock.now),
  );
  expect(after?.destinations.x).toMatchObject({ status: 'publishing', revision: 2, attempts: 1 });
});

test('saveDestination succeeds for one of several writers at the same revision', async () => {
  const post = await world.store();
  const from = post.destinations.x!;
  const to = leased(from, world.clock.now);
  const writes = await Promise.all([1, 2, 3].map(() => saveDestination(world.table, post, from, to)));
  expect(writes.filter(Boolean)).toHaveLength(1);
});
