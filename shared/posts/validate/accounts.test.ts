import { expect, test } from '@jest/globals';
import type { Connection } from '../../model/profile.ts';
import { connectionsFor } from './accounts.ts';

const page = (needs_target: boolean) => ({ id: 'c1', platform: 'facebook', needs_target }) as Connection;
const errors = (connection: Connection, options = {}) =>
  connectionsFor({ platforms: ['facebook'], options }, [connection], '').errors;

test('a post needs a target where none is chosen, however many the account has', () => {
  expect(errors(page(true))).toEqual([
    {
      field: 'platforms',
      message:
        'The connection to Facebook needs a target and none is chosen: set facebook_page_id, or choose a default with PATCH /integrations/c1',
      platform: 'facebook',
    },
  ]);
  expect(errors(page(true), { facebook_page_id: '1' })).toEqual([]);
  expect(errors(page(false))).toEqual([]);
});
