import type { PlatformId } from '../../shared/model/platform.ts';
import type { Json } from '../support/stack.ts';
import { INJECTED_FAULTS, SCENARIOS, type InjectedFault, type Scenario } from './injected-faults.ts';
import { nameOf } from './requests.ts';
import { add, type RequestFault, type Campaign } from './state.ts';

/** Injects a fault at requests of a kind: soon and a few times, or with `once` at the next one only. */
export async function injectRequestFault(
  { stack, random }: Campaign,
  { kind, fault }: RequestFault,
  now: number,
  once = false,
): Promise<void> {
  const soon = { after: random.whole(0, 2), times: random.whole(1, 3) };
  await stack.control('POST', '/_control/faults', {
    ...kind,
    ...fault.body(now, kind.platform),
    ...(once || fault.slow ? { times: 1 } : soon),
  });
}

/** Injects a scenario; where it does not name a platform, at a random one. */
export async function injectScenario(
  { stack, random, accepted }: Campaign,
  { body: fault, times }: Scenario,
): Promise<void> {
  const platform = random.pick([...accepted.keys()]);
  const named = (text: string | undefined) => text?.replace('*', platform);
  const body = {
    ...fault,
    function: named(fault.function),
    queue: named(fault.queue),
    times: random.whole(...times),
    probability: 0.5,
    seed: random.whole(0, 1_000_000),
  };
  const response = await stack.local('POST', '/_local/faults', body);
  if (response.status !== 200) throw new Error(`Invalid scenario: ${JSON.stringify(response.body)}`);
}

/** Deletes all messages of the dispatch and publish queues. */
export async function purgeQueues({ stack, report }: Campaign): Promise<void> {
  const { queues } = (await stack.local('GET', '/_local/queues')).body;
  for (const { name } of queues.filter((queue: Json) => /-(dispatch|publish-\w+)$/.test(queue.name))) {
    await stack.local('DELETE', `/_local/queues/${name}`);
  }
  add(report.faults, 'queues purged', 1);
}

/** Faults of firing schedules outlast the others, since schedules fire late in a round. */
const outlastsRound = ({ operation }: Json) => operation === 'Invoke';

/** Counts the faults that occurred and ends them; with `all` including those that outlast the others. */
export async function collectHits(
  { stack, report, met }: Campaign,
  rejections: Map<PlatformId, number>,
  all = true,
): Promise<void> {
  const ofPlatforms = (await stack.control('GET', '/_control/faults')).body.items;
  const ofAws = (await stack.local('GET', '/_local/faults')).body.items.filter(
    (fault: Json) => all || !outlastsRound(fault),
  );
  await stack.control('DELETE', '/_control/faults');
  for (const { id } of ofAws) await stack.local('DELETE', `/_local/faults/${id}`);
  for (const fault of ofPlatforms) {
    const name = faultName(fault);
    add(report.faults, `platform: ${name}`, fault.hits);
    if (fault.hits > 0) met.add(`${name} at ${nameOf(fault)}`);
    if (fault.respond?.status === 400) add(rejections, fault.platform, fault.hits);
  }
  for (const fault of ofAws) add(report.faults, scenarioName(fault), fault.hits);
}

function faultName(fault: Json): string {
  const matches = ({ body, slow }: InjectedFault) => {
    const made = body(0, fault.platform);
    return (
      made.kill === fault.kill &&
      made.drop === fault.drop &&
      (slow ?? false) === fault.delay_ms > 0 &&
      made.respond?.status === fault.respond?.status &&
      (made.respond?.taken ?? false) === (fault.respond?.taken ?? false) &&
      Object.keys(made.respond?.headers ?? {}).length === Object.keys(fault.respond?.headers ?? {}).length
    );
  };
  return INJECTED_FAULTS.find(matches)?.name ?? 'other';
}

function scenarioName(fault: Json): string {
  const members = ['service', 'operation', 'error', 'drop', 'kill', 'lose', 'repeat', 'late_s'];
  const found = SCENARIOS.find(({ body }) => members.every(member => body[member] === fault[member]));
  return `AWS: ${found?.name ?? 'other'}`;
}
