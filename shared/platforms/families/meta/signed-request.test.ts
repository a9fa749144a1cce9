import { expect, test } from '@jest/globals';
import { expectLinear } from '../../../../test/support/growth.ts';
import { signedRequest } from './sandbox/signed-request.ts';
import { userOfSignedRequest } from './signed-request.ts';

const PAYLOAD = { user_id: '218471', algorithm: 'HMAC-SHA256', issued_at: 1291836800 };
const SECRETS = ['threads-secret', 'meta-secret'];

test.each([
  ['signed with one of the secrets', signedRequest(PAYLOAD, 'meta-secret'), '218471'],
  ['padded', signedRequest(PAYLOAD, 'meta-secret', { padded: true }), '218471'],
  [
    'with a numeric id above 2^53',
    signedRequest('{"user_id":17841405793187218,"algorithm":"HMAC-SHA256"}', 'threads-secret'),
    '17841405793187218',
  ],
  ['signed with another secret', signedRequest(PAYLOAD, 'other'), null],
  ['of another algorithm', signedRequest({ ...PAYLOAD, algorithm: 'none' }, 'meta-secret'), null],
  ['without a user', signedRequest({ algorithm: 'HMAC-SHA256' }, 'meta-secret'), null],
  ['with a payload that is not JSON', signedRequest('no', 'meta-secret'), null],
  ['with a changed payload', `${signedRequest(PAYLOAD, 'meta-secret')}x`, null],
  ['with a third part', `${signedRequest(PAYLOAD, 'meta-secret')}.x`, null],
  ['without a signature', 'abc', null],
  ['that is empty', '', null],
])('the user of a signed request %s', (_, text, expected) => {
  expect(userOfSignedRequest(text, SECRETS)).toBe(expected);
});

test('a payload of quotes without an end is read in linear time', async () => {
  const payload = (count: number) => signedRequest('"\\'.repeat(count), 'meta-secret');
  expect(userOfSignedRequest(payload(50_000), SECRETS)).toBeNull();
  await expectLinear(text => userOfSignedRequest(text, SECRETS), payload, 50_000);
});
