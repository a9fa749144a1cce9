import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSignature } from '../../local/s3/signature.ts';

/* Loaded into a process: answers its requests as ECS and S3 answer those of a container. */

const CREDENTIALS = { AccessKeyId: 'local', SecretAccessKey: 'local', Token: 'session-token' };

globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  const url = new URL(request.url);
  if (url.href === 'http://169.254.170.2/v2/credentials/1') {
    return Promise.resolve(Response.json(CREDENTIALS));
  }
  const headers = { ...Object.fromEntries(request.headers), host: url.host };
  checkSignature({ method: request.method, target: url.pathname, headers }, Date.now());
  if (request.headers.get('x-amz-security-token') !== CREDENTIALS.Token) throw new Error('No session token');
  return Promise.resolve(new Response(readFileSync(join(process.env['ARCHIVES']!, url.pathname))));
};
