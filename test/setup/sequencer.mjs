import Sequencer from '@jest/test-sequencer';
import { patternOf, SLOW_SUITES } from '../suites.ts';

/** Suites that use a local stack, the longest of all. */
const STACKS = [...SLOW_SUITES.campaigns.paths, ...SLOW_SUITES.platforms.paths, ...SLOW_SUITES.e2e.paths];
const ALL_SLOW = Object.values(SLOW_SUITES).flatMap(({ paths }) => paths);
const GROUPS = [STACKS, ALL_SLOW];

/**
 * Starts with the longest files, so that no worker is still busy with one when the others have nothing left. Before the first
 * run, jest only knows the sizes of the files: a short one may take long.
 */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const rankOf = ({ path, context }) => {
      const found = GROUPS.findIndex(paths =>
        paths.some(each => new RegExp(patternOf(`${context.config.rootDir}/`, each)).test(path)),
      );
      return found < 0 ? GROUPS.length : found;
    };
    const ranked = sorted.map(test => ({ test, rank: rankOf(test) }));
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ test }) => test);
  }
}
