import { PutParameterCommand } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { platformAppParameter } from '../../shared/aws/platform-app.ts';
import type { AppCredentials } from '../../shared/model/platform-app.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { CONNECTORS } from '../../shared/platforms/registry/connectors.ts';
import { required, type Command } from './command.ts';
import { parsePlatform } from './parse.ts';
import { platformApps } from './platform-list.ts';
import { readSecret } from './secret.ts';

export const platformSet: Command = {
  name: 'platform set',
  arguments: 'PLATFORM --client-id ID [--field NAME=VALUE …]',
  summary:
    'stores the credentials of your app at a platform; asks for the client secret, or reads it from standard input; fields ' +
    'of the same app that are not named stay as they are; ' +
    `PLATFORM is ${PLATFORM_IDS.join(', ')}`,
  words: 1,
  options: [...required('client-id'), { name: 'field', required: false, repeatable: true }],
  run: async ({ target, options, lists, positionals }) => {
    const platform = parsePlatform(positionals[0]);
    const client_id = options['client-id'] ?? '';
    const stored = (await platformApps(target.ssm, target.parameterPrefix)).get(platform)?.app;
    const appFields = parseAppFields(
      CONNECTORS[platform]?.app_fields ?? {},
      lists['field'] ?? [],
      stored?.client_id === client_id ? stored : {},
    );
    const app: AppCredentials = {
      client_id,
      client_secret: await readSecret('client secret'),
      ...appFields,
    };
    await target.ssm.send(
      new PutParameterCommand({
        Name: platformAppParameter(target.parameterPrefix, platform),
        Type: 'SecureString',
        Value: JSON.stringify(app),
        Overwrite: true,
      }),
    );
    return `The credentials for ${platform} are stored; functions use them within five minutes`;
  },
};

/**
 * Parses `NAME=VALUE` options by the fields that a connector names; a field that is not given keeps its stored value, else it
 * has its default. Throws an error for the operator.
 */
export function parseAppFields(
  known: v.ObjectEntries,
  given: readonly string[],
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const pairs = given.map(each => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined) throw new Error(`--field must be NAME=VALUE; it is ${each}`);
    if (!Object.hasOwn(known, name)) throw new Error(unknownField(name, Object.keys(known)));
    return [name, value] as const;
  });
  const parsed = v.safeParse(v.pipe(v.object(known), v.record(v.string(), v.string())), {
    ...stored,
    ...Object.fromEntries(pairs),
  });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`--field ${v.getDotPath(issue) ?? ''}: ${issue.message}`);
}

function unknownField(name: string, known: readonly string[]): string {
  const hint =
    known.length === 0 ? 'Apps of this platform have no fields' : `The fields are: ${known.join(', ')}`;
  return `Unknown field ${name}. ${hint}`;
}
