import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DistributionResource } from '../template/resources.ts';
import { S3Error } from './errors.ts';
import { decoded, send, type S3 } from './s3.ts';
import { element, xml } from './xml.ts';

/** Path prefix of the CloudFront stand-in. It is below the API's address, which stays the same across restarts. */
export const CDN_PATH = '/_cdn';

export type Cdn = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves the template's distribution: objects below the origin path of its bucket, with its response headers. */
export function createCdn(s3: S3, distribution: DistributionResource | undefined): Cdn {
  return async (request, response) => {
    const path = (request.url ?? '').slice(CDN_PATH.length).split('?')[0] ?? '';
    if (!distribution || !['GET', 'HEAD'].includes(request.method ?? '')) {
      const { status, code, message } = new S3Error(403, 'AccessDenied', 'Access Denied');
      const body = element('Error', element('Code', code), element('Message', message));
      await send(request, response, xml(status, body));
      return;
    }
    const key = decoded(`${distribution.originPath}${path}`.slice(1));
    const origin = await s3.read(distribution.bucket, key, request);
    // Without s3:ListBucket the origin does not reveal which keys exist.
    const status = origin.status === 404 ? 403 : origin.status;
    await send(request, response, {
      ...origin,
      status,
      headers: { ...origin.headers, ...distribution.headers },
    });
  };
}
