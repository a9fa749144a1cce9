import type { PlatformId } from '../../shared/model/platform.ts';
import type { Json } from '../support/stack.ts';
import { INJECTED_FAULTS, SCENARIOS, type InjectedFault, type Scenario } from './injected-faults.ts';
import { nameOf } from './requests.ts';
import { add, type Attack, type Campaign } from './state.ts';

/** Sets a mishap for requests of a kind, soon and a few times; `once`: for the next one alone. */
export async function setAttack(
  { stack, random }: Campaign,
  { kind, fault }: Attack,
  now: number,
  once = false,
): Promise<void> {
  const drawn = { after: random.whole(0, 2), times: random.whole(1, 3) };
  await stack.control('POST', '/_control/faults', {
    ...kind,
    ...fault.fault(now),
    ...(once || fault.slow ? { times: 1 } : drawn),
  });
}

/** Sets a storm, at a platform that the dice choose where it names none. */
export async function setStorm({ stack, random, menu }: Campaign, { fault, times }: Scenario): Promise<void> {
  const platform = random.pick([...menu.keys()]);
  const named = (text: string | undefined) => text?.replace('*', platform);
  const body = {
    ...fault,
    function: named(fault.function),
    queue: named(fault.queue),
    times: random.whole(...times),
    probability: 0.5,
    seed: random.whole(0, 1_000_000),
  };
  const answer = await stack.local('POST', '/_local/faults', body);
  if (answer.status !== 200) throw new Error(`The storm was refused: ${JSON.stringify(answer.body)}`);
}

/** All notes are gone, those of the table excepted. */
export async function purge({ stack, report }: Campaign): Promise<void> {
  const { queues } = (await stack.local('GET', '/_local/queues')).body;
  for (const { name } of queues.filter((queue: Json) => /-(dispatch|publish-\w+)$/.test(queue.name))) {
    await stack.local('DELETE', `/_local/queues/${name}`);
  }
  add(report.faults, 'queues purged', 1);
}

/** Schedules fire late in a round: what is to happen to them outlasts the rest of the weather. */
const outlasts = ({ operation }: Json) => operation === 'Invoke';

/** Counts the faults that came to pass, and ends them; `all`: also those that outlast the weather. */
export async function collectHits(
  { stack, report, met }: Campaign,
  refusals: Map<PlatformId, number>,
  all = true,
): Promise<void> {
  const ofPlatforms = (await stack.control('GET', '/_control/faults')).body.items;
  const ofAws = (await stack.local('GET', '/_local/faults')).body.items.filter(
    (fault: Json) => all || !outlasts(fault),
  );
  await stack.control('DELETE', '/_control/faults');
  for (const { id } of ofAws) await stack.local('DELETE', `/_local/faults/${id}`);
  for (const fault of ofPlatforms) {
    const name = mishapName(fault);
    add(report.faults, `platform: ${name}`, fault.hits);
    if (fault.hits > 0) met.add(`${name} at ${nameOf(fault)}`);
    if (fault.respond?.status === 400) add(refusals, fault.platform, fault.hits);
  }
  for (const fault of ofAws) add(report.faults, stormName(fault), fault.hits);
}

function mishapName(fault: Json): string {
  const same = ({ fault: make, slow }: InjectedFault) => {
    const made = make(0);
    return (
      made.kill === fault.kill &&
      made.drop === fault.drop &&
      (slow ?? false) === fault.delay_ms > 0 &&
      made.respond?.status === fault.respond?.status &&
      (made.respond?.taken ?? false) === (fault.respond?.taken ?? false) &&
      Object.keys(made.respond?.headers ?? {}).length === Object.keys(fault.respond?.headers ?? {}).length
    );
  };
  return INJECTED_FAULTS.find(same)?.name ?? 'other';
}

function stormName(fault: Json): string {
  const members = ['service', 'operation', 'error', 'drop', 'kill', 'lose', 'repeat', 'late_s'];
  const words = SCENARIOS.find(({ fault: told }) =>
    members.every(member => told[member] === fault[member]),
  )?.name;
  return `AWS: ${words ?? 'other'}`;
}
