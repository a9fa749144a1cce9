/**
 * Settings of outgoing traffic, read once. Both exist for the local stack alone, whose runner sets them beside the
 * template's variables: a test asserts that no deployed template carries either.
 */
export interface NetSettings {
  /** Where all platforms are played by test doubles; unset: the platforms themselves. */
  sandboxUrl: string | null;
  /** Loopback receivers and media are allowed. Every other private range stays refused. */
  allowLoopback: boolean;
}

export function readNetSettings(env: NodeJS.ProcessEnv = process.env): NetSettings {
  return { sandboxUrl: env['SANDBOX_URL'] ?? null, allowLoopback: env['ALLOW_LOOPBACK'] === '1' };
}
