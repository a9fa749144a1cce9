import * as v from 'valibot';
import { ENV } from '../aws/env.ts';
import { parseJson } from '../model/json.ts';
import { createHttpClient, type Http } from '../net/http.ts';
import type { Services } from '../runtime/services.ts';
import { bedrockClient, bedrockWriter } from './bedrock.ts';
import { offlineWriter } from './offline/writer.ts';
import { keyReader } from './openai-key.ts';
import { openAiWriter } from './openai.ts';
import { ProviderSchema, type Writer } from './writer.ts';

/** A connection a request: what a frozen function keeps open is dead when it thaws. */
const http: Http = async request => {
  const client = createHttpClient();
  try {
    return await client.send(request);
  } finally {
    client.close();
  }
};

/** The writer that the stack's setting names. Make it once a container: it keeps connections and what it learned. */
export function writerOf(services: Services): Writer {
  const setting = v.parse(ProviderSchema, parseJson(services.setting(ENV.aiProvider)));
  switch (setting.provider) {
    case 'bedrock':
      return bedrockWriter(bedrockClient(), setting.model);
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
