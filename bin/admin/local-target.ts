import { existsSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { localClientConfig } from '../../local/aws/tables.ts';
import { DEFAULT_DATA } from '../../local/options.ts';
import { stackFileBeside, stackFileIn } from '../../local/ready.ts';
import { clientsWith } from './clients.ts';
import { argumentsOf, settingIn, type Target } from './target.ts';

const LocalStackSchema = v.object({
  aws_endpoint: v.string(),
  table: v.string(),
  parameter_prefix: v.string(),
  environment: v.record(v.string(), v.string()),
});

/** Returns the running local stack. Throws when there is none. */
export function localTarget(options: Record<string, string>): Promise<Target> {
  const { 'ready-file': readyFile, data } = options;
  const file = readyFile ? stackFileBeside(readyFile) : stackFileIn(data ?? DEFAULT_DATA);
  if (!existsSync(file)) {
    throw new Error(
      `No local stack is running (${file} does not exist). Run npm start first, or choose a deployed stack with --stage prod`,
    );
  }
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const stack = v.parse(LocalStackSchema, json);
  return Promise.resolve({
    isLocal: true,
    ...clientsWith({ ...localClientConfig(stack.aws_endpoint), forcePathStyle: true }, stack.table),
    parameterPrefix: stack.parameter_prefix,
    arguments: argumentsOf({ 'ready-file': readyFile, data }),
    settings: () => Promise.resolve(settingIn(stack.environment)),
    // The local stack has no topic.
    alarmTopic: () => Promise.resolve(null),
  });
}
