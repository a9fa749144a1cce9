import { ssm } from '../../shared/aws/clients.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { answerForKeyRing } from './make-key-ring.ts';

/** Custom resource: makes the key ring at the first deploy. */
export async function handler(event: unknown): Promise<void> {
  const http = createHttpClient();
  try {
    await answerForKeyRing(event, { ssm: ssm(), http });
  } finally {
    http.close();
  }
}
