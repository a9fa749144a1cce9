import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DistributionResource } from '../template/resources.ts';
import { S3Error } from './errors.ts';
import { decoded, send, type S3 } from './s3.ts';
import { element, xml } from './xml.ts';

/** Where the stand-in of CloudFront answers, below the API's own address, which stays the same over restarts. */
export const CDN_PATH = '/_cdn';

export type Cdn = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The template's distribution: passes on what lies below its origin's path in the bucket, and adds its headers. */
export function createCdn(s3: S3, distribution: DistributionResource | undefined): Cdn {
  return async (request, response) => {
    const path = (request.url ?? '').slice(CDN_PATH.length).split('?')[0] ?? '';
    if (!distribution || !['GET', 'HEAD'].includes(request.method ?? '')) {
      const { status, code, message } = new S3Error(403, 'AccessDenied', 'Access Denied');
      const refusal = element('Error', element('Code', code), element('Message', message));
      await send(request, response, xml(status, refusal));
      return;
    }
    const key = decoded(`${distribution.originPath}${path}`.slice(1));
    const answer = await s3.read(distribution.bucket, key, request);
    // Nobody outside may learn which keys there are.
    const status = answer.status === 404 ? 403 : answer.status;
    await send(request, response, {
      ...answer,
      status,
      headers: { ...answer.headers, ...distribution.headers },
    });
  };
}
