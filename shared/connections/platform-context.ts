import { createHttpClient } from '../net/http.ts';
import { platformHttp } from '../net/platform-http.ts';
import type { ConnectContext } from '../platforms/contract/connector.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Services } from '../runtime/services.ts';

/** Runs `use` with a client of the platform, which is closed afterwards. */
export async function withConnectContext<T>(
  services: Pick<Services, 'now'>,
  platform: PlatformId,
  use: (context: ConnectContext) => Promise<T>,
): Promise<T> {
  const client = createHttpClient();
  try {
    return await use({ http: platformHttp(platform, client), now: services.now });
  } finally {
    client.close();
  }
}
