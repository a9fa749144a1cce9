import { beforeEach, describe, expect, test } from '@jest/globals';
import { openStore } from '../store.ts';
import type { MappingResource } from '../template/lambda.ts';
import { createMappings, type Mappings } from './mappings.ts';

const DELAY_MS = 60_000;
const resource = (maxConcurrency = 2): MappingResource => ({
  uuid: 'u',
  enabled: false,
  source: {
    queue: 'publish-x',
    function: 'publisher-x',
    batchSize: 1,
    windowS: 0,
    maxConcurrency,
    partialFailures: true,
  },
});

let now: number;
let polled: number;
let store: ReturnType<typeof openStore>;

beforeEach(() => {
  now = 0;
  polled = 0;
  store = openStore(null);
});

function start(template = resource()): Mappings {
  const poll = () => {
    polled += 1;
    return { stop: () => void (polled -= 1) };
  };
  const mappings = createMappings([template], { store, now: () => now, delayMs: DELAY_MS, poll });
  mappings.start();
  return mappings;
}

describe('an event source mapping', () => {
  test('that is off is polled a minute after it is turned on', () => {
    const mappings = start();
    expect(mappings.update('u', true).state).toBe('Enabling');
    now += DELAY_MS - 1;
    mappings.tick();
    expect([mappings.get('u').state, polled]).toEqual(['Enabling', 0]);
    now += 1;
    mappings.tick();
    expect([mappings.get('u').state, polled]).toEqual(['Enabled', 1]);
    mappings.update('u', false);
    now += DELAY_MS;
    mappings.tick();
    expect([mappings.get('u').state, polled]).toEqual(['Disabled', 0]);
  });

  test('cannot be changed while a change is in progress', () => {
    const mappings = start();
    mappings.update('u', true);
    expect(() => mappings.update('u', true)).toThrow(
      expect.objectContaining({ code: 'ResourceInUseException' }),
    );
  });

  test('that does not exist is refused', () => {
    expect(() => start().get('other')).toThrow(
      expect.objectContaining({ code: 'ResourceNotFoundException' }),
    );
  });

  test('is still on after a restart, and off again when a deployment changes it', () => {
    start().update('u', true);
    expect([start().get('u').state, polled]).toEqual(['Enabled', 1]);
    expect(start(resource(5)).get('u').state).toBe('Disabled');
  });
});
