import { PutParameterCommand } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { platformAppParameter } from '../../shared/aws/platform-app.ts';
import type { AppCredentials } from '../../shared/model/platform-app.ts';
import { PLATFORM_IDS, PlatformIdSchema } from '../../shared/model/platform.ts';
import { CONNECTORS } from '../../shared/platforms/registry.ts';
import type { Command } from './command.ts';

export const setPlatformApp: Command = {
  name: 'platform set',
  arguments: 'PLATFORM --client-id ID --client-secret SECRET [--field NAME=VALUE …]',
  summary: `stores the credentials of your app at a platform (${PLATFORM_IDS.join(', ')})`,
  options: [
    { name: 'client-id', required: true },
    { name: 'client-secret', required: true },
    { name: 'field', required: false, repeatable: true },
  ],
  run: async ({ target, options, lists, positionals }) => {
    const platform = v.safeParse(PlatformIdSchema, positionals[0]);
    if (!platform.success) throw new Error(`PLATFORM must be one of ${PLATFORM_IDS.join(', ')}`);
    const app: AppCredentials = {
      client_id: options['client-id'] ?? '',
      client_secret: options['client-secret'] ?? '',
      ...parseAppFields(CONNECTORS[platform.output]?.app_fields ?? {}, lists['field'] ?? []),
    };
    await target.ssm.send(
      new PutParameterCommand({
        Name: platformAppParameter(target.parameterPrefix, platform.output),
        Type: 'SecureString',
        Value: JSON.stringify(app),
        Overwrite: true,
      }),
    );
    return `The credentials for ${platform.output} are stored; functions use them within five minutes`;
  },
};

/**
 * Parses `NAME=VALUE` options by the fields that a connector names; a field that is not given has its default. Throws an
 * error for the operator.
 */
export function parseAppFields(known: v.ObjectEntries, given: readonly string[]): Record<string, string> {
  const pairs = given.map(each => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined) throw new Error(`--field must be NAME=VALUE; it is ${each}`);
    if (!Object.hasOwn(known, name)) throw new Error(unknownField(name, Object.keys(known)));
    return [name, value] as const;
  });
  const parsed = v.safeParse(
    v.pipe(v.object(known), v.record(v.string(), v.string())),
    Object.fromEntries(pairs),
  );
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`--field ${v.getDotPath(issue) ?? ''}: ${issue.message}`);
}

function unknownField(name: string, known: readonly string[]): string {
  const hint =
    known.length === 0 ? 'Apps of this platform have no fields' : `The fields are: ${known.join(', ')}`;
  return `Unknown field ${name}. ${hint}`;
}
