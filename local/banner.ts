import type { Ready } from './ready.ts';

export interface BannerParts {
  ready: Ready;
  engine: string;
  seconds: number;
  /** Folder of the state; null if it is ephemeral. */
  data: string | null;
  /** Platforms that could not be connected, with the reason. */
  connectErrors: readonly string[];
}

/** The text that `npm start` prints when the stack is ready. */
export function banner({ ready, engine, seconds, data, connectErrors }: BannerParts): string {
  const { base_url, api_key, sandbox_url, docs_url } = ready;
  const key = `-H 'Authorization: Bearer ${api_key}'`;
  const body =
    '{"profile_name":"Demo","post_type":"text","platforms":["x"],"description":"Hello from my own machine"}';
  return [
    '',
    `Social publishing service ready in ${seconds.toFixed(1)} s (${engine}, ${data === null ? 'ephemeral' : `state in ${data}`})`,
    '',
    `  API        ${base_url}`,
    `  Key        ${api_key}`,
    `  Sandbox    ${sandbox_url}   posts as the sandbox platforms show them`,
    `  Docs       ${docs_url}#key=${api_key}`,
    '',
    `curl -s ${base_url}/integrations ${key}`,
    `curl -s ${base_url}/posts ${key} -H 'Content-Type: application/json' -d '${body}'`,
    `curl -s ${base_url}/posts ${key}`,
    '',
    ...connectErrors.map(error => `Could not connect ${error}`),
    'Press Ctrl-C to stop.',
    '',
  ].join('\n');
}
