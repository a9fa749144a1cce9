import { createRandom } from '../../local/aws/random.ts';

/** Source of every random choice of a campaign: the same seed makes the same choices. */
export interface SeededRandom {
  /** An integer from `least` to `most`, both included. */
  whole: (least: number, most: number) => number;
  chance: (share: number) => boolean;
  pick: <T>(from: readonly T[]) => T;
  shuffled: <T>(items: readonly T[]) => T[];
}

export function seededRandom(seed: number): SeededRandom {
  const random = createRandom(seed);
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  return {
    whole,
    chance: share => random() < share,
    pick: from => from[whole(0, from.length - 1)]!,
    shuffled: items => {
      const left = [...items];
      return items.map(() => left.splice(whole(0, left.length - 1), 1)[0]!);
    },
  };
}
