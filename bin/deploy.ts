import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { givenSettings, readStage, SETTINGS_FOLDER, stackName } from '../lib/settings.ts';
import { readCommandLine } from './deploy/command-line.ts';
import { deployedSettings, undone } from './deploy/settings.ts';

/** `npm run deploy [-- options of cdk deploy]`: prints the settings that the deployment would undo, then runs it. */
async function showUndone(args: readonly string[]): Promise<void> {
  const { context, profile } = readCommandLine(args);
  const { node } = new App({ context: { ...cdkJson.context, ...context } });
  const stage = readStage(node);
  const client = new CloudFormationClient({ ...(profile && { profile }) });
  const lines = undone(
    await deployedSettings(client, stackName(stage)),
    givenSettings(node, SETTINGS_FOLDER),
  );
  if (lines.length === 0) return;
  console.warn(
    [
      `The deployed stack ${stackName(stage)} has settings that this deployment does not have, and would undo:`,
      ...lines.map(line => `  ${line}`),
      `To keep them, stop with Ctrl-C and write them into settings/${stage}.json.`,
    ].join('\n'),
  );
}

const CDK = fileURLToPath(new URL('../node_modules/aws-cdk/bin/cdk', import.meta.url));
const args = process.argv.slice(2);
try {
  await showUndone(args);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.warn(`The settings of the deployed stack could not be read, and are not compared: ${reason}`);
}
const { status } = spawnSync(process.execPath, [CDK, 'deploy', '--no-notices', ...args], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
