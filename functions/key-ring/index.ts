import { ssm } from '../../shared/aws/clients.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { handleKeyRingEvent } from './create-key-ring.ts';

/** Custom resource: creates the key ring at the first deployment. */
export async function handler(event: unknown): Promise<void> {
  const http = createHttpClient();
  try {
    await handleKeyRingEvent(event, { ssm: await ssm(), http });
  } finally {
    http.close();
  }
}
