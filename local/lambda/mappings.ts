import * as v from 'valibot';
import { AwsError } from '../aws/response.ts';
import type { LocalStore } from '../store.ts';
import type { EventSource, MappingResource } from '../template/lambda.ts';
import type { Poller } from './event-sources.ts';

export type MappingState = 'Enabled' | 'Enabling' | 'Disabled' | 'Disabling';

export interface MappingView {
  uuid: string;
  queue: string;
  function: string;
  state: MappingState;
}

export interface Mappings {
  /** Throws ResourceNotFoundException. */
  get: (uuid: string) => MappingView;
  /** Has the queue polled or not, after a while. Throws ResourceInUseException during an earlier change. */
  update: (uuid: string, enabled: boolean) => MappingView;
  list: () => MappingView[];
  /** Starts polling. */
  start: () => void;
  /** Applies the changes that are due. */
  tick: () => void;
  stop: () => void;
}

export interface MappingsHost {
  store: LocalStore;
  now: () => number;
  /** How long a change takes. */
  delayMs: number;
  poll: (source: EventSource) => Poller;
}

interface Mapping {
  resource: MappingResource;
  enabled: boolean;
  /** When the state takes effect; null once it has. */
  effectiveAt: number | null;
  poller: Poller | null;
}

const StoredSchema = v.object({ template: v.string(), enabled: v.boolean() });

/**
 * Event source mappings with the state that `UpdateEventSourceMapping` gives them. As in AWS, a change takes a while, and a
 * deployment that changes a mapping gives it the template's state again.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
 */
export function createMappings(resources: readonly MappingResource[], host: MappingsHost): Mappings {
  const stored = host.store.collection('event-source-mapping', StoredSchema);
  const mappings = new Map(resources.map(resource => [resource.uuid, open(resource)]));
  let started = false;

  function open(resource: MappingResource): Mapping {
    const before = stored.get(resource.uuid);
    const enabled = before?.template === templateOf(resource) ? before.enabled : resource.enabled;
    return { resource, enabled, effectiveAt: null, poller: null };
  }

  function find(uuid: string): Mapping {
    const mapping = mappings.get(uuid);
    if (mapping) return mapping;
    throw new AwsError('ResourceNotFoundException', 'The resource you requested does not exist.', 404);
  }

  function update(uuid: string, enabled: boolean): MappingView {
    const mapping = find(uuid);
    if (mapping.effectiveAt !== null) {
      throw new AwsError(
        'ResourceInUseException',
        'Cannot update the event source mapping because it is in use.',
      );
    }
    if (mapping.enabled !== enabled) {
      mapping.enabled = enabled;
      mapping.effectiveAt = host.now() + host.delayMs;
      stored.set(uuid, { template: templateOf(mapping.resource), enabled });
    }
    return viewOf(mapping);
  }

  function tick(): void {
    for (const mapping of mappings.values()) {
      if (mapping.effectiveAt !== null && mapping.effectiveAt <= host.now()) mapping.effectiveAt = null;
      if (started && mapping.effectiveAt === null) apply(mapping);
    }
  }

  function apply(mapping: Mapping): void {
    if (mapping.enabled) mapping.poller ??= host.poll(mapping.resource.source);
    else {
      mapping.poller?.stop();
      mapping.poller = null;
    }
  }

  return {
    get: uuid => viewOf(find(uuid)),
    update,
    list: () => [...mappings.values()].map(viewOf),
    start: () => {
      started = true;
      tick();
    },
    tick,
    stop: () => {
      for (const { poller } of mappings.values()) poller?.stop();
    },
  };
}

const templateOf = ({ enabled, source }: MappingResource) => JSON.stringify({ enabled, source });

function viewOf({ resource: { uuid, source }, enabled, effectiveAt }: Mapping): MappingView {
  const [done, changing] = enabled
    ? (['Enabled', 'Enabling'] as const)
    : (['Disabled', 'Disabling'] as const);
  return {
    uuid,
    queue: source.queue,
    function: source.function,
    state: effectiveAt === null ? done : changing,
  };
}
