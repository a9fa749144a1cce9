import type { Ready } from './ready.ts';

export interface BannerParts {
  ready: Ready;
  engine: string;
  seconds: number;
  /** Folder of the state; null: nothing is kept. */
  data: string | null;
  faults: readonly string[];
}

/** What a person needs to go on, and no more. */
export function banner({ ready, engine, seconds, data, faults }: BannerParts): string {
  const { base_url, api_key, sandbox_url, docs_url } = ready;
  const key = `-H 'Authorization: Bearer ${api_key}'`;
  const body =
    '{"profile_name":"Demo","post_type":"text","platforms":["x"],"description":"Hello from my own machine"}';
  return [
    '',
    `Social publishing service, ready in ${seconds.toFixed(1)} s (${engine}, ${data === null ? 'nothing is kept' : `state in ${data}`})`,
    '',
    `  API        ${base_url}`,
    `  Key        ${api_key}`,
    `  Published  ${sandbox_url}   what the sandbox platforms show`,
    `  Docs       ${docs_url}`,
    '',
    `curl -s ${base_url}/integrations ${key}`,
    `curl -s ${base_url}/posts ${key} -H 'Content-Type: application/json' -d '${body}'`,
    `curl -s ${base_url}/posts ${key}`,
    '',
    ...faults.map(fault => `Not connected: ${fault}`),
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
