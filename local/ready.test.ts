import { describe, expect, test } from '@jest/globals';
import { readyFiles } from './ready.ts';

describe('the files that describe a running stack', () => {
  test.each([
    ['in the data folder', 'state', null, 'state/local.json', ['state/stack.json']],
    ['at their default for an ephemeral stack', null, null, '.local/local.json', ['.local/stack.json']],
    ['beside the ready file of an ephemeral stack', null, 'a.json', 'a.json', ['a.json.stack']],
    [
      'in both places with --data and --ready-file',
      'state',
      'a.json',
      'a.json',
      ['state/stack.json', 'a.json.stack'],
    ],
  ])('are %s', (_, data, readyFile, ready, stacks) => {
    expect(readyFiles({ data, readyFile })).toEqual({ ready, stacks });
  });
});
