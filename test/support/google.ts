import { createHash, randomBytes } from 'node:crypto';
import type { AppCredentials, Connector } from '../../shared/platforms/contract/connector.ts';
import { oauthWay } from './connectors.ts';
import type { TestSandbox } from './sandbox-host.ts';

/**
 * Authorizes an app on Google's consent page as the user's browser does; `as` selects the account. Returns the input of
 * the exchange, with the parameters of the callback.
 */
export async function authorize(
  host: TestSandbox,
  connector: Connector,
  app: AppCredentials,
  more: Record<string, string> = {},
) {
  const redirect_uri = 'http://localhost:3000/v1/integrations/google/callback';
  const code_verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  const url = new URL(
    oauthWay(connector).authorizeUrl({ app, state: 'state-1', redirect_uri, code_challenge }),
  );
  for (const [name, value] of Object.entries({ auto: 'allow', ...more })) url.searchParams.set(name, value);
  const { status, headers } = await host.http.send({ method: 'GET', url: url.href, timeoutMs: 30_000 });
  const back = headers['location'] === undefined ? null : new URL(headers['location']).searchParams;
  return { app, status, back, code: back?.get('code') ?? '', redirect_uri, code_verifier };
}
