import type { TrafficLine } from '../support/e2e.ts';
import { isRead, isTokenExchange, kindOf, nameOf, type RequestKind } from './requests.ts';

/** A request of a delivery: `index` counts those of its kind from 0. */
export interface Place {
  kind: RequestKind;
  index: number;
}

/**
 * What happens to one request: the worker dies, the connection breaks, or a proxy answers 200 with a page, before or after
 * the platform received it.
 */
export const HOWS = ['kill', 'drop', 'page'] as const;
export type How = (typeof HOWS)[number];

interface Effect {
  how: How;
  when: 'before' | 'after';
}

/** Whether the platform received a request for reading makes no difference. */
const effectsAt = ({ kind }: Place, hows: readonly How[]): Effect[] =>
  (isRead(kind) ? (['after'] as const) : (['before', 'after'] as const)).flatMap(when =>
    hows.map(how => ({ how, when })),
  );

const PAGE = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Please wait</html>' };

export interface PlacedFault extends Place {
  effect: Effect;
}
/** The faults of one delivery, in the order in which they occur. */
export type FaultPlan = readonly PlacedFault[];

export const placeName = ({ kind, index }: Place) => `${nameOf(kind)} (${index + 1})`;

export const planName = (plan: FaultPlan) =>
  plan.map(({ effect, ...place }) => `${effect.how} ${effect.when} ${placeName(place)}`).join(', then ');

/** Returns the places of a delivery's requests, without exchanges of tokens. A kind of reading is one place, however often it is repeated. */
export function placesOf(lines: readonly TrafficLine[]): Place[] {
  const counts = new Map<string, number>();
  const kinds = lines.map(kindOf).filter(kind => !isTokenExchange(kind));
  return kinds.flatMap(kind => {
    const index = counts.get(nameOf(kind)) ?? 0;
    counts.set(nameOf(kind), index + 1);
    return index > 0 && isRead(kind) ? [] : [{ kind, index }];
  });
}

/** Returns a plan for every fault at each of these places, which follow the faults of `first`. */
export const plansAt = (
  places: readonly Place[],
  first: FaultPlan = [],
  hows: readonly How[] = ['kill', 'drop'],
): FaultPlan[] =>
  places.flatMap(place => effectsAt(place, hows).map(effect => [...first, { ...place, effect }]));

/**
 * Returns the places that a delivery without faults does not have: the requests that find out what became of a lost one,
 * and the repetition of the one that publishes.
 */
export function recoveryPlaces(clean: readonly Place[], seen: readonly Place[]): Place[] {
  const known = new Set(clean.map(placeName));
  const kinds = new Set(clean.map(({ kind }) => nameOf(kind)));
  const commit = clean.findLast(({ kind }) => !isRead(kind));
  return seen.filter(
    place =>
      !known.has(placeName(place)) &&
      (!kinds.has(nameOf(place.kind)) ||
        (commit !== undefined && nameOf(place.kind) === nameOf(commit.kind))),
  );
}

/** Returns the body of `POST /_control/faults` for each fault of a plan. */
export const faultBodies = (plan: FaultPlan) =>
  plan.map(({ kind, index, effect }, position) => {
    // A request that an earlier fault hits does not count for a later one.
    const hit = plan.slice(0, position).filter(earlier => nameOf(earlier.kind) === nameOf(kind)).length;
    const { how, when } = effect;
    return {
      ...kind,
      function: `publisher-${kind.platform}`,
      after: index - hit,
      ...(how === 'page' ? { respond: { ...PAGE, taken: when === 'after' } } : { [how]: when }),
    };
  });
