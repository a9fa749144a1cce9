import { GetParameterCommand } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { keyRingParameter, KeyRingSchema } from '../../../shared/aws/key-ring.ts';
import { DAY } from '../../../shared/time/instant.ts';
import { day } from '../text.ts';
import { counted, ok, todo, type Check } from './finding.ts';

/** Age after which a rotation is advised. */
const ROTATE_AFTER_MS = 365 * DAY;

export const keyRing: Check = {
  name: 'key ring',
  run: async ({ ssm, parameterPrefix, arguments: options }, now) => {
    const Name = keyRingParameter(parameterPrefix);
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name, WithDecryption: true }));
    const json: unknown = JSON.parse(Parameter?.Value ?? '');
    const { keys } = v.parse(KeyRingSchema, json);
    const changed = Parameter?.LastModifiedDate?.getTime() ?? now;
    const text = `${counted(keys.length, 'key')}, the last added on ${day(changed)}`;
    if (now - changed < ROTATE_AFTER_MS) return [ok(text)];
    return [todo(`${text}. Rotate it once a year: npm run admin -- key-ring rotate${options}`)];
  },
};
