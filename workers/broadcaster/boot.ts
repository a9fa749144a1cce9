import { AwsClient } from 'aws4fetch';
import { unzipSync } from 'fflate';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';

/*
 * What a container runs, given as text in its task definition: fetches the worker's code from S3, unpacks it and runs it.
 * So the public image of Node.js will do, and nobody has to build or keep another.
 */

const FOLDER = join(tmpdir(), 'broadcaster');
/** Where ECS answers the credentials of the task's role. */
const CREDENTIALS_HOST = 'http://169.254.170.2';

const CredentialsSchema = v.object({
  AccessKeyId: v.string(),
  SecretAccessKey: v.string(),
  Token: v.string(),
});

const setting = (name: string) => process.env[name] ?? '';

/** Unpacks the archives of `CODE_URLS` over each other and returns their folder. */
async function download(): Promise<string> {
  const answer = await fetch(CREDENTIALS_HOST + setting('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'));
  const credentials = v.parse(CredentialsSchema, await answer.json());
  const aws = new AwsClient({
    accessKeyId: credentials.AccessKeyId,
    secretAccessKey: credentials.SecretAccessKey,
    sessionToken: credentials.Token,
    service: 's3',
    region: setting('AWS_REGION'),
  });
  for (const url of setting('CODE_URLS').split(' ')) {
    const response = await aws.fetch(url);
    if (!response.ok) throw new Error(`S3 answered ${response.status} for ${url}`);
    for (const [name, bytes] of Object.entries(unzipSync(await response.bytes()))) unpack(name, bytes);
  }
  return FOLDER;
}

/** Names of folders end with a slash. */
function unpack(name: string, bytes: Uint8Array): void {
  if (name.endsWith('/')) return;
  const path = join(FOLDER, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** The local stack has the code in a folder. */
const folder = process.env['CODE_DIR'] ?? (await download());
await import(pathToFileURL(join(folder, 'main.js')).href);
