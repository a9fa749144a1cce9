import * as v from 'valibot';
import type { InvocationResult } from './lambda/environment.ts';
import type { LocalStore } from './store.ts';

/**
 * The signing secrets that the API has returned. They let the sandbox verify the deliveries to its own receivers, as a
 * receiver would that was given the secret when its webhook was registered.
 */
export interface WebhookSecrets {
  /** Stores the webhook and signing secret that an API response contains, if any. */
  observe: (result: InvocationResult) => void;
  /** Every secret that the API returned for webhooks with this URL. */
  secretsFor: (url: string) => readonly string[];
}

/** All URLs and secrets that a webhook has had, because earlier deliveries stay valid. */
const WebhookSchema = v.object({ urls: v.array(v.string()), secrets: v.array(v.string()) });

/** A response that contains a webhook, with its secret only if that is new. */
const ResponseSchema = v.object({
  body: v.pipe(
    v.string(),
    v.startsWith('{"webhook":'),
    v.parseJson(),
    v.object({
      webhook: v.object({ id: v.string(), url: v.string() }),
      signing_secret: v.optional(v.string()),
    }),
  ),
});

export function createWebhookSecrets(store: LocalStore): WebhookSecrets {
  const webhooks = store.collection('webhook-secrets', WebhookSchema);

  function observe(result: InvocationResult): void {
    const response = v.safeParse(ResponseSchema, result.ok ? result.result : null);
    if (!response.success) return;
    const { webhook, signing_secret: secret } = response.output.body;
    const known = webhooks.get(webhook.id) ?? { urls: [], secrets: [] };
    webhooks.set(webhook.id, {
      urls: [...new Set([...known.urls, webhook.url])],
      secrets: secret === undefined ? known.secrets : [...new Set([...known.secrets, secret])],
    });
  }

  function secretsFor(url: string): string[] {
    const address = canonicalAddress(url);
    return webhooks
      .all()
      .filter(({ value }) => value.urls.some(known => canonicalAddress(known) === address))
      .flatMap(({ value }) => value.secrets);
  }

  return { observe, secretsFor };
}

/** The same for `localhost` and `127.0.0.1`. */
function canonicalAddress(text: string): string {
  const { hostname, port, pathname } = new URL(text);
  return `${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}${pathname}`;
}
