import { Stack, Validations } from 'aws-cdk-lib';
import type { ProviderSetting } from '../shared/ai/writer.ts';
import type { ServiceFunction } from './functions.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

/** Small, cheap, and it answers through tools. */
const DEFAULT_MODEL = 'amazon.nova-lite-v1:0';

/** An inference profile spreads requests over regions; its id is the model's with the area in front. */
const PROFILE = /^(?:us|eu|apac|us-gov|ca|jp|au|global)\.(?<model>.+)$/;

/** Who writes captions. Throws an error that names the setting which is missing. */
export function providerOf({ aiProvider, aiModel, aiBaseUrl }: Settings): ProviderSetting {
  switch (aiProvider) {
    case 'bedrock':
      return { provider: 'bedrock', model: aiModel ?? DEFAULT_MODEL };
    case 'openai':
      if (aiModel === undefined) throw new Error('Settings that do not fit: aiModel: openai needs one');
      return { provider: 'openai', base_url: aiBaseUrl, model: aiModel };
    case 'offline':
      return { provider: 'offline' };
  }
}

/** Lets the function ask its provider: just that model of Bedrock, or the key of another one. */
export function openProvider(to: ServiceFunction, setting: ProviderSetting, secrets: Secrets): void {
  if (setting.provider === 'openai') secrets.openAiKey(to);
  if (setting.provider === 'bedrock') openModel(to, setting.model);
}

function openModel(to: ServiceFunction, model: string): void {
  const { partition, region, account } = Stack.of(to);
  const inProfile = PROFILE.exec(model)?.groups?.['model'];
  if (inProfile === undefined) {
    to.allow(['bedrock:InvokeModel'], `arn:${partition}:bedrock:${region}::foundation-model/${model}`);
    return;
  }
  const anywhere = `arn:${partition}:bedrock:*::foundation-model/${inProfile}`;
  const profile = `arn:${partition}:bedrock:${region}:${account}:inference-profile/${model}`;
  to.allow(['bedrock:InvokeModel'], profile, anywhere);
  Validations.of(to).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${anywhere.replace(partition, '<AWS::Partition>')}]`,
    reason: 'An inference profile may send a request to any region of its area; the model is the one named.',
  });
}
