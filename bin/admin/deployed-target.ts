import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { OUTPUTS } from '../../lib/outputs.ts';
import { stackName } from '../../lib/settings.ts';
import { ENV } from '../../shared/aws/env.ts';
import { lazy } from '../../shared/aws/clients.ts';
import { clientsWith } from './clients.ts';
import { argumentsOf, settingIn, type Target } from './target.ts';

/** Outputs of a stack by name. */
type Outputs = Readonly<Record<string, string>>;

const DEFAULT_STAGE = 'prod';

/**
 * Returns the deployed stack of `--stack` or `--stage`, with the AWS credentials and region of `--profile` and `--region`,
 * or of the environment. Its names are read from the outputs of the stack; `--table` saves the call where only the table is
 * needed.
 */
export async function deployedTarget(options: Record<string, string>): Promise<Target> {
  const { stack, stage = DEFAULT_STAGE, table, region, profile } = options;
  const name = stack ?? stackName(stage);
  const config = { ...(region && { region }), ...(profile && { profile }) };
  const outputs = lazy(() => readOutputs(new CloudFormationClient(config), name));
  const clients = clientsWith(config, table ?? outputOf(await outputs(), OUTPUTS.table));
  return {
    isLocal: false,
    ...clients,
    parameterPrefix: `/${name}`,
    arguments: argumentsOf({ ...(stack === undefined ? { stage } : { stack }), table, region, profile }),
    settings: async () => settingIn(await environmentOf(clients.lambda, await outputs())),
    alarmTopic: async () => (await outputs())[OUTPUTS.alarmTopic] ?? null,
  };
}

/** Returns the sweeper's environment, which names what the service works with, and the names that only the outputs have. */
async function environmentOf(lambda: LambdaClient, outputs: Outputs): Promise<Record<string, string>> {
  const { Environment } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: outputOf(outputs, OUTPUTS.sweeper) }),
  );
  return {
    ...Environment?.Variables,
    [ENV.scheduleGroup]: outputOf(outputs, OUTPUTS.scheduleGroup),
    [ENV.mediaBucket]: outputOf(outputs, OUTPUTS.bucket),
    [ENV.mediaUrl]: outputOf(outputs, OUTPUTS.mediaUrl),
  };
}

async function readOutputs(cloudFormation: CloudFormationClient, name: string): Promise<Outputs> {
  try {
    const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return Object.fromEntries(
      outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
  } catch (error) {
    if (!(error instanceof Error && /does not exist/.test(error.message))) throw error;
    const region = await cloudFormation.config.region();
    throw new Error(
      `There is no stack ${name} in ${region}. Choose another with --stage, --stack, --region or --profile`,
      {
        cause: error,
      },
    );
  }
}

function outputOf(outputs: Outputs, name: string): string {
  const value = outputs[name];
  if (value === undefined)
    throw new Error(`The stack has no output ${name}. Deploy the current version first`);
  return value;
}
