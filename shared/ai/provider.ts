import * as v from 'valibot';
import { env, ENV } from '../aws/env.ts';
import { parseJson } from '../model/json.ts';
import { createHttpClient, type Http } from '../net/http.ts';
import type { Services } from '../runtime/services.ts';
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
export async function createWriter(services: Services): Promise<Writer> {
  const setting = v.parse(ProviderSchema, parseJson(services.setting(ENV.aiProvider)));
  switch (setting.provider) {
    case 'bedrock': {
      const { bedrockClient, bedrockWriter } = await import('./bedrock.ts');
      const { defaultModelIn } = await import('./default-model.ts');
      return bedrockWriter(bedrockClient(), setting.model ?? defaultModelIn(env('AWS_REGION')));
    }
    case 'openai': {
      const { openAiWriter } = await import('./openai.ts');
      const { keyReader } = await import('./openai-key.ts');
      return openAiWriter(
        http,
        setting,
        keyReader(services.ssm, services.setting(ENV.parameterPrefix), services.now),
      );
    }
    case 'offline':
      return (await import('./offline/writer.ts')).offlineWriter;
  }
}
