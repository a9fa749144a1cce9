import * as v from 'valibot';
import type { Outcome } from './lambda/environment.ts';
import type { LocalStore } from './store.ts';

/**
 * The signing secrets that the API has shown. Whoever registers a receiver gives it the secret; where the receiver is the
 * sandbox's own, the stack does that, so that its page can tell whether signatures are right.
 */
export interface ShownSecrets {
  /** Looks whether an outcome of the API shows a webhook, or its secret. */
  message: (outcome: Outcome) => void;
  /** Every secret that was shown for webhooks of this URL. */
  of: (url: string) => readonly string[];
}

/** Of a webhook: everything that it was. What came under an earlier URL or secret stays right. */
const ShownSchema = v.object({ urls: v.array(v.string()), secrets: v.array(v.string()) });

/** What an answer about a webhook holds; the secret only where it is new. */
const AnswerSchema = v.object({
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

export function createShownSecrets(store: LocalStore): ShownSecrets {
  const shelf = store.shelf('webhook-secrets', ShownSchema);

  function message(outcome: Outcome): void {
    const answer = v.safeParse(AnswerSchema, outcome.ok ? outcome.result : null);
    if (!answer.success) return;
    const { webhook, signing_secret: shown } = answer.output.body;
    const known = shelf.get(webhook.id) ?? { urls: [], secrets: [] };
    shelf.set(webhook.id, {
      urls: [...new Set([...known.urls, webhook.url])],
      secrets: shown === undefined ? known.secrets : [...new Set([...known.secrets, shown])],
    });
  }

  function of(url: string): string[] {
    const place = placeOf(url);
    const here = shelf.all().filter(({ value }) => value.urls.some(known => placeOf(known) === place));
    return here.flatMap(({ value }) => value.secrets);
  }

  return { message, of };
}

/** The same for all ways to write one receiver of this machine. */
function placeOf(text: string): string {
  const { hostname, port, pathname } = new URL(text);
  return `${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}${pathname}`;
}
