import Sequencer from '@jest/test-sequencer';
import { SLOW_SUITES } from '../suites.ts';

/** Suites that use a local stack, the longest of all. */
const FIRST = [...SLOW_SUITES.campaigns.paths, ...SLOW_SUITES.platforms.paths, ...SLOW_SUITES.e2e.paths];

/** Starts with the longest files, so that no worker is still busy with one when the other has nothing left. */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isLong = ({ path, context }) =>
      FIRST.some(each => path.startsWith(`${context.config.rootDir}/${each}`));
    return [...sorted.filter(isLong), ...sorted.filter(test => !isLong(test))];
  }
}
