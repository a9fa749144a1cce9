import { memoryBucket, type MemoryBucket } from './memory-bucket.ts';
import { testOrigin, type TestOrigin } from './origin.ts';

/** An in-memory bucket whose public objects can be fetched, as platforms that fetch media by URL need it. */
export async function servedBucket(): Promise<TestOrigin & { bucket: MemoryBucket }> {
  const bucket = memoryBucket();
  const origin = await testOrigin((request, response) => {
    const found = bucket.objects.get(`public${request.url ?? ''}`);
    if (!found) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': found.type, 'content-length': found.bytes.length });
    response.end(found.bytes);
  });
  return { ...origin, bucket: { ...bucket, publicUrl: origin.url } };
}
