import { appendFileSync } from 'node:fs';
import { createTraffic } from '../../local/sandbox/traffic.ts';
import type { SandboxDefinition } from '../../shared/platforms/contract/sandbox.ts';

interface Received {
  method: string;
  /** With the platform's real host. */
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Records requests as the local stack does. Returns null unless TRAFFIC_OUT names the file that they are appended to. */
export function trafficFile({ platform, secrets }: SandboxDefinition) {
  const file = process.env['TRAFFIC_OUT'];
  if (!file) return null;
  const traffic = createTraffic({ secretsOf: () => secrets });
  return {
    /** `response`: null where the platform did not make it. */
    add: async (
      at: number,
      { method, url, headers, body }: Received,
      response: Response | null,
    ): Promise<void> => {
      const { host, pathname: path, search } = new URL(url);
      traffic.record({
        at,
        platform,
        method,
        host,
        path,
        query: search.slice(1),
        headers: { ...headers, host },
        body,
        caller: null,
        response: response && {
          status: response.status,
          contentType: response.headers.get('content-type') ?? '',
          body: Buffer.from(await response.arrayBuffer()),
        },
      });
    },
    save: () => {
      const lines = traffic.lines();
      if (lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`);
    },
  };
}
