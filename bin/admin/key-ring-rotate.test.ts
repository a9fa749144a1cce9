import { expect, test } from '@jest/globals';
import { SSMClient } from '@aws-sdk/client-ssm';
import { loadKeyRing, newKeyRing, seal, unseal, type KeyRing } from '../../shared/aws/key-ring.ts';
import { MINUTE, SECOND } from '../../shared/time/instant.ts';
import { rotateKeyRing } from './key-ring-rotate.ts';

/** An SSM that has a key ring for each prefix. */
function ssmWith(ring: KeyRing) {
  let value = JSON.stringify(ring);
  let reads = 0;
  const send = ({ input }: { input: { Value?: string } }) => {
    if (input.Value === undefined) reads += 1;
    value = input.Value ?? value;
    return Promise.resolve({ Parameter: { Value: value } });
  };
  return {
    ssm: Object.assign(new SSMClient({ region: 'eu-west-1' }), { send }),
    reads: () => reads,
    stored: () => JSON.parse(value) as KeyRing,
  };
}

test('adds a key that seals later and keeps the others', async () => {
  const before = newKeyRing();
  const { ssm, stored } = ssmWith(before);
  expect(await rotateKeyRing(ssm, '/add', 1000)).toEqual({ keys: 2, seals_from: 1000 + 15 * MINUTE });
  expect(stored().keys.slice(1)).toEqual(before.keys);
});

test('refuses a second rotation before the new key seals', async () => {
  const { ssm, stored } = ssmWith(newKeyRing());
  const { seals_from } = await rotateKeyRing(ssm, '/twice', 0);
  await expect(rotateKeyRing(ssm, '/twice', seals_from - 1)).rejects.toThrow(/Rotate again after/);
  await rotateKeyRing(ssm, '/twice', seals_from);
  expect(stored().keys).toHaveLength(3);
});

test('a container with the old ring unseals what the new key sealed, and reads the ring once for it', async () => {
  const { ssm, reads, stored } = ssmWith(newKeyRing());
  const text = seal(await loadKeyRing(ssm, '/warm', 0), 'a', 'old');
  await rotateKeyRing(ssm, '/warm', 0);
  const sealed = seal(stored(), 'a', 'new');
  const at = MINUTE;
  const before = reads();
  for (const [each, expected] of [
    [sealed, 'new'],
    [sealed, 'new'],
    [text, 'old'],
  ] as const) {
    expect(unseal(await loadKeyRing(ssm, '/warm', at, each), 'a', each)).toBe(expected);
  }
  expect(reads()).toBe(before + 1);
});

test('a text with a key that never existed costs one read in ten seconds', async () => {
  const { ssm, reads } = ssmWith(newKeyRing());
  const foreign = seal(newKeyRing(), 'a', 'text');
  for (let now = 0; now < 20 * SECOND; now += SECOND)
    await expect(
      loadKeyRing(ssm, '/unknown', now, foreign).then(ring => unseal(ring, 'a', foreign)),
    ).rejects.toThrow('not in the key ring');
  expect(reads()).toBe(2);
});
