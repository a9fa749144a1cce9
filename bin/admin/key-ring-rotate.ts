import { PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { keyRingParameter, readStoredKeyRing, rotated } from '../../shared/aws/key-ring.ts';
import { toIso } from '../../shared/time/instant.ts';
import type { Command } from './command.ts';

export const keyRingRotate: Command = {
  name: 'key-ring rotate',
  arguments: '',
  summary: 'adds a key that seals new secrets; older keys stay, to unseal what they sealed',
  options: [],
  run: async ({ target }) => {
    const { keys, seals_from } = await rotateKeyRing(target.ssm, target.parameterPrefix, Date.now());
    return `The key ring has ${keys} keys; the new one seals from ${toIso(seals_from)} on`;
  },
};

/**
 * Adds a key to the key ring. Returns the number of keys and from when the new one seals, epoch milliseconds. Throws while
 * the key of an earlier rotation does not seal yet.
 */
export async function rotateKeyRing(
  ssm: SSMClient,
  prefix: string,
  now: number,
): Promise<{ keys: number; seals_from: number }> {
  const name = keyRingParameter(prefix);
  const before = await readStoredKeyRing(ssm, name);
  const waiting = before.keys.find(({ seals_from }) => seals_from > now);
  if (waiting)
    throw new Error(
      `The key of the last rotation seals from ${toIso(waiting.seals_from)} on. Rotate again after that`,
    );
  const after = rotated(before, now);
  await ssm.send(
    new PutParameterCommand({
      Name: name,
      Type: 'SecureString',
      Value: JSON.stringify(after),
      Overwrite: true,
    }),
  );
  return { keys: after.keys.length, seals_from: Math.max(...after.keys.map(({ seals_from }) => seals_from)) };
}
