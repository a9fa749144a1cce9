import * as v from 'valibot';
import { env, ENV } from '../aws/env.ts';
import { parseJson } from '../model/json.ts';
import { createHttpClient, type Http } from '../net/http.ts';
import type { Services } from '../runtime/services.ts';
import { bedrockClient, bedrockWriter } from './bedrock.ts';
import { defaultModelIn } from './default-model.ts';
import { offlineWriter } from './offline/writer.ts';
import { keyReader } from './openai-key.ts';
import { openAiWriter } from './openai.ts';
import { ProviderSchema, type Writer } from './writer.ts';

/** Opens a connection per request: one that is kept open is dead when a frozen function resumes. */
const http: Http = async request => {
  const client = createHttpClient();
  try {
    return await client.send(request);
  } finally {
    client.close();
  }
};

/** Creates the writer that the stack's setting names. Create it once per container: it keeps connections and state. */
export function createWriter(services: Services): Writer {
  const setting = v.parse(ProviderSchema, parseJson(services.setting(ENV.aiProvider)));
  switch (setting.provider) {
    case 'bedrock':
      return bedrockWriter(bedrockClient(), setting.model ?? defaultModelIn(env('AWS_REGION')));
    case 'openai':
      return openAiWriter(
        http,
        setting,
        keyReader(services.ssm, services.setting(ENV.parameterPrefix), services.now),
      );
    case 'offline':
      return offlineWriter;
  }
}
