/**
 * Settings of outgoing traffic. Only the local stack sets them, in addition to the template's variables; a test asserts
 * that no deployed template contains any.
 */
export interface NetSettings {
  /** Base URL of the sandbox that plays all platforms; null: the platforms themselves. */
  sandboxUrl: string | null;
  /** Allows loopback addresses, for webhook receivers and media. Other private ranges stay blocked. */
  allowLoopback: boolean;
  /** Allows private networks too, where the user starts the local stack so. Link-local ranges stay blocked. */
  allowPrivate?: boolean;
}

export function readNetSettings(env: NodeJS.ProcessEnv = process.env): NetSettings {
  return {
    sandboxUrl: env['SANDBOX_URL'] ?? null,
    allowLoopback: env['ALLOW_LOOPBACK'] === '1',
    allowPrivate: env['ALLOW_PRIVATE'] === '1',
  };
}
