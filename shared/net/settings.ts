/**
 * Settings of outgoing traffic, read once. They exist for the local stack alone, whose runner sets them beside the
 * template's variables: a test asserts that no deployed template carries any.
 */
export interface NetSettings {
  /** Where all platforms are played by test doubles; unset: the platforms themselves. */
  sandboxUrl: string | null;
  /** Loopback receivers and media are allowed. Every other private range stays refused. */
  allowLoopback: boolean;
  /** Private networks are allowed too, by the wish of whoever starts the local stack. Link-local ones stay refused. */
  allowPrivate?: boolean;
}

export function readNetSettings(env: NodeJS.ProcessEnv = process.env): NetSettings {
  return {
    sandboxUrl: env['SANDBOX_URL'] ?? null,
    allowLoopback: env['ALLOW_LOOPBACK'] === '1',
    allowPrivate: env['ALLOW_PRIVATE'] === '1',
  };
}
