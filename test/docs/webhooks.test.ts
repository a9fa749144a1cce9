import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { work } from '../../functions/webhook-dispatcher/work.ts';
import { newSecret } from '../../shared/events/signature.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { startReceiver, type Received } from '../support/receiver.ts';
import { testWith } from '../support/tools.ts';
import { webhookWorld } from '../support/webhooks.ts';

/* Runs the snippets of the page on a delivery of the dispatcher: the bytes and headers as received. */

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

/** Delivers an event with characters that are easily broken and returns what the receiver got. */
async function oneDelivery(): Promise<{ secret: string; received: Received }> {
  const world = await webhookWorld();
  const receiver = await startReceiver();
  const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  try {
    const { workspace_id } = await world.addWebhook({ url: receiver.url });
    const event = world.event();
    event.data['profile_name'] = 'Grüße 🚀 $HOME "%s" \\u00e9\u2028';
    const { services, secret } = world;
    await work({ kind: 'events', workspace_id, events: [event] }, { services, http, random: () => 0 });
    return { secret, received: receiver.received[0]! };
  } finally {
    http.close();
    await receiver.close();
    await world.close();
  }
}

/** How each language's snippet is run on a file, a signature and a secret; it exits 0 when the signature is valid. */
const RUNNERS = {
  ts: {
    command: process.execPath,
    needs: process.execPath,
    file: 'verify.ts',
    code: (snippet: string) =>
      `${snippet}
import { readFileSync } from 'node:fs';
const [, , file = '', signature = '', secret = ''] = process.argv;
process.exit(verify(readFileSync(file), signature, secret) ? 0 : 3);`,
    run: (script: string) => [script],
  },
  python: {
    command: 'python3',
    needs: 'python3',
    file: 'verify.py',
    code: (snippet: string) =>
      `${snippet}
import sys
file, signature, secret = sys.argv[1:]
sys.exit(0 if verify(open(file, "rb").read(), signature, secret) else 3)`,
    run: (script: string) => [script],
  },
  go: {
    command: 'go',
    needs: 'go',
    file: 'verify.go',
    code: (snippet: string) =>
      snippet.replace('package webhook', 'package main').replace('import (', 'import (\n\t"os"') +
      `
func main() {
	raw, _ := os.ReadFile(os.Args[1])
	if !Verify(raw, os.Args[2], os.Args[3]) {
		os.Exit(3)
	}
}`,
    run: (script: string) => ['run', script],
  },
  php: {
    command: 'php',
    needs: 'php',
    file: 'verify.php',
    code: (snippet: string) =>
      `${snippet}
exit(verify(file_get_contents($argv[1]), $argv[2], $argv[3]) ? 0 : 3);`,
    run: (script: string) => [script],
  },
  bash: {
    command: 'bash',
    needs: 'openssl',
    file: 'verify.sh',
    code: (snippet: string) => `${snippet}\nverify "$@" || exit 3`,
    run: (script: string) => [script],
  },
};

let folder: string;
let secret: string;
let received: Received;
let signature: string;
beforeAll(async () => {
  ({ secret, received } = await oneDelivery());
  signature = String(received.headers['x-service-signature']);
  folder = mkdtempSync(join(tmpdir(), 'webhook-docs-'));
  writeFileSync(join(folder, 'body.json'), received.bytes);
  writeFileSync(join(folder, 'other.json'), received.body.replace('Grüße', 'Gruesse'));
  writeFileSync(join(folder, 'parsed.json'), JSON.stringify(JSON.parse(received.body), null, 1));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(Object.entries(RUNNERS))('the %s snippet', (language, { command, needs, file, code, run }) => {
  const snippet = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1];
  const verifies = (bodyFile: string, candidate: string, key: string) => {
    const script = join(folder, file);
    writeFileSync(script, code(snippet!));
    return spawnSync(command, [...run(script), join(folder, bodyFile), candidate, key]).status;
  };

  test('is on the page', () => expect(snippet).toBeDefined());

  testWith(needs)('accepts the valid signature and no other', () => {
    expect(verifies('body.json', signature, secret)).toBe(0);
    expect(verifies('other.json', signature, secret)).not.toBe(0);
    expect(verifies('parsed.json', signature, secret)).not.toBe(0);
    expect(verifies('body.json', signature, newSecret())).not.toBe(0);
    expect(verifies('body.json', signature.replace(/.$/, '').concat('x'), secret)).not.toBe(0);
    expect(verifies('body.json', '', secret)).not.toBe(0);
  });
});

testWith('openssl')('openssl computes the signature that was sent', () => {
  const out = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: received.bytes });
  expect(out.toString()).toContain(signature);
});
