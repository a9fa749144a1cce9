import { Stack, Validations } from 'aws-cdk-lib';
import { DEFAULT_MODEL } from '../shared/ai/default-model.ts';
import type { ProviderSetting } from '../shared/ai/writer.ts';
import type { ServiceFunction } from './functions.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceSettings } from './settings.ts';

/** An inference profile routes requests to several regions; its id is the model id with a geography prefix. */
const PROFILE = /^(?:us|eu|apac|us-gov|ca|jp|au|global)\.(?<model>.+)$/;

/** Returns the caption provider of these settings. Throws when the provider needs a setting that is missing. */
export function providerOf({ aiProvider, aiModel, aiBaseUrl }: ServiceSettings): ProviderSetting {
  switch (aiProvider) {
    case 'bedrock':
      return { provider: 'bedrock', model: aiModel ?? null };
    case 'openai':
      if (aiModel === undefined)
        throw new Error('Invalid settings: aiModel is required when aiProvider is "openai"');
      return { provider: 'openai', base_url: aiBaseUrl, model: aiModel };
    case 'offline':
      return { provider: 'offline' };
  }
}

/** Lets the function call its provider: invoke exactly one Bedrock model, or read the key of an OpenAI-compatible API. */
export function grantProvider(to: ServiceFunction, setting: ProviderSetting, secrets: Secrets): void {
  if (setting.provider === 'openai') secrets.grantReadAiKey(to);
  if (setting.provider === 'bedrock') grantInvokeModel(to, setting.model);
}

/** `model`: null for the default model, whose inference profile depends on the region of the stack. */
function grantInvokeModel(to: ServiceFunction, model: string | null): void {
  const { partition, region, account } = Stack.of(to);
  const profiledModel = model === null ? DEFAULT_MODEL : PROFILE.exec(model)?.groups?.['model'];
  if (profiledModel === undefined) {
    to.allow(['bedrock:InvokeModel'], `arn:${partition}:bedrock:${region}::foundation-model/${model}`);
    return;
  }
  const profileName = model ?? `*.${DEFAULT_MODEL}`;
  const modelInAnyRegion = `arn:${partition}:bedrock:*::foundation-model/${profiledModel}`;
  const profile = `arn:${partition}:bedrock:${region}:${account}:inference-profile/${profileName}`;
  to.allow(['bedrock:InvokeModel'], profile, modelInAnyRegion);
  acknowledge(to, modelInAnyRegion);
  if (model === null) acknowledge(to, profile);
}

/** Acknowledges the wildcard of a resource. */
function acknowledge(to: ServiceFunction, resource: string): void {
  const { partition, region, account } = Stack.of(to);
  const shown = resource
    .replace(partition, '<AWS::Partition>')
    .replace(region, '<AWS::Region>')
    .replace(account, '<AWS::AccountId>');
  Validations.of(to).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${shown}]`,
    reason:
      'An inference profile is named after a geography and may route a request to any region of it; the model is fixed.',
  });
}
