import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { createPost } from '../../functions/posts/create.ts';
import { startDynamoDb } from '../../local/aws/dynamodb.ts';
import type { ApiEvent, ApiResult } from '../../shared/http/event.ts';
import { serve } from '../../shared/http/serve.ts';
import { createApiKey } from '../../shared/runtime/bootstrap.ts';
import { listMembers } from '../../shared/store/workspaces.ts';
import { HOUR, SECOND } from '../../shared/time/instant.ts';
import { createApiWorld, type ApiWorld } from '../support/api-world.ts';
import { eventOf } from '../support/served-api.ts';
import type { Bench } from './bench.ts';
import { textPost } from './posts.ts';
import { less } from './value.ts';

const WARM = 200;
const SAMPLE = 300;
const PLATFORMS = ['x', 'bluesky', 'telegram'] as const;
/** Far enough apart for the daily caps of the accounts. */
const APART_MS = 6 * HOUR;

type Handler = (event: ApiEvent, context: Context) => Promise<Pick<ApiResult, 'statusCode'>>;

/** CPU time of creating a post in a warm function, AWS clients included; the table is another process. */
export const warm: Bench = {
  name: 'warm',
  summary: 'CPU time of a request to a warm function, above that of a handler that does nothing',
  run: async () => {
    const database = await startDynamoDb({ only: null });
    const { DYNAMODB_ENDPOINT } = process.env;
    process.env['DYNAMODB_ENDPOINT'] = database.endpoint;
    const world = await createApiWorld([createPost], 'enterprise');
    try {
      const nextEvent = await eventsOf(world);
      const empty = middy<ApiEvent>().handler(() => Promise.resolve({ statusCode: 201 }));
      const idle = await cpuOf(empty, nextEvent);
      const busy = await cpuOf(serve([createPost], world.services), nextEvent);
      return [
        {
          title: `POST /posts: a text to ${PLATFORMS.length} platforms`,
          values: {
            'above an empty handler': less(
              (busy.user + busy.system - idle.user - idle.system) / 1000,
              'ms of CPU',
              1,
            ),
            'of that in the kernel, for connections': less(
              (busy.system - idle.system) / 1000,
              'ms of CPU',
              1,
            ),
          },
        },
      ];
    } finally {
      await world.close();
      await database.close();
      // Other benchmarks have tables of their own.
      if (DYNAMODB_ENDPOINT === undefined) delete process.env['DYNAMODB_ENDPOINT'];
      else process.env['DYNAMODB_ENDPOINT'] = DYNAMODB_ENDPOINT;
    }
  },
};

/** Returns a function that makes the event of another request, each a second after the one before. */
async function eventsOf(world: ApiWorld): Promise<() => ApiEvent> {
  const { table } = world.services;
  const [owner] = await listMembers(table, world.owner.workspace_id);
  const issued = await createApiKey(table, owner!, { name: 'Bench', now: world.clock.now });
  const profile = await world.profile({ profile_name: 'Demo' });
  for (const platform of PLATFORMS) await world.connect(profile, platform);
  let count = 0;
  return () => {
    count += 1;
    world.clock.now += SECOND;
    const scheduled_date = new Date(world.clock.now + count * APART_MS).toISOString();
    const body = { ...textPost(count, 'Demo', [...PLATFORMS]), scheduled_date };
    return eventOf([createPost], 'POST', '/posts', body, { authorization: `Bearer ${issued!.key}` });
  };
}

/** Returns the CPU time of one request in microseconds, once the code is compiled. */
async function cpuOf(handler: Handler, nextEvent: () => ApiEvent): Promise<NodeJS.CpuUsage> {
  const call = async () => {
    const { statusCode } = await handler(nextEvent(), {} as Context);
    if (statusCode !== 201) throw new Error(`The handler answered with status ${statusCode}`);
  };
  for (let request = 0; request < WARM; request += 1) await call();
  const started = process.cpuUsage();
  for (let request = 0; request < SAMPLE; request += 1) await call();
  const { user, system } = process.cpuUsage(started);
  return { user: user / SAMPLE, system: system / SAMPLE };
}
