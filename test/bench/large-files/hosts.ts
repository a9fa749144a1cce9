import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { serveContent } from '../../../local/sandbox/media/serve.ts';
import type { PlatformId } from '../../../shared/model/platform.ts';
import { SANDBOXES } from '../../../shared/platforms/registry/sandboxes.ts';
import { startSandboxHost, type TestSandbox } from '../../support/sandbox-host.ts';
import { PATIENT } from '../../support/server.ts';
import { countingStorage } from './storage.ts';
import type { LargeVideo } from './video.ts';

/** A body up to this size reaches the platform complete or not at all; a larger one as it arrives. */
const MAX_HELD = 64 * 1024 ** 2;
const IDLE_CHECK_MS = 20;

/** The platform and the bucket of a large file. */
export interface Hosts {
  sandbox: TestSandbox;
  bucket_url: string;
  /** Calls back with the number of bytes that the platform has of the upload, or of the running fetch. */
  onProgress: (callback: (bytes: number) => void) => void;
  /** Waits until the platform has handled all that it received. */
  idle: () => Promise<void>;
  close: () => Promise<void>;
}

/** Starts the sandbox of a platform, which keeps no file, and a bucket that makes the video while it is read. */
export async function startHosts(platform: PlatformId, video: LargeVideo): Promise<Hosts> {
  const progress = createProgress();
  let inFlight = 0;
  const sandbox = await startSandboxHost(SANDBOXES[platform]!, {
    storage: countingStorage(video),
    passOn: async (request, forward) => {
      inFlight += 1;
      try {
        const length = Number(request.headers.get('content-length') ?? 0);
        // A body that continues an upload names where.
        const offset = Number(request.headers.get('offset') ?? 0);
        const body = request.body?.pipeThrough(progress.ofUpload(offset)) ?? null;
        if (body === null || length > MAX_HELD) return await forward(body);
        return await forward(Buffer.from(await new Response(body).arrayBuffer()));
      } catch {
        // The publisher was killed.
        return new Response(null, { status: 500 });
      } finally {
        inFlight -= 1;
      }
    },
  });
  const bucket = await startBucket(video, progress.ofFetch);
  return {
    sandbox,
    bucket_url: bucket.url,
    onProgress: progress.onProgress,
    idle: async () => {
      while (inFlight > 0) await new Promise(resolve => setTimeout(resolve, IDLE_CHECK_MS));
    },
    close: async () => {
      await Promise.all([sandbox.close(), bucket.close()]);
    },
  };
}

function createProgress() {
  let complete = 0;
  let callback: (bytes: number) => void = () => undefined;
  const meter = (before: () => number, onEnd: (bytes: number) => void) => {
    let own = 0;
    return new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        own += chunk.byteLength;
        callback(before() + own);
        controller.enqueue(chunk);
      },
      flush: () => onEnd(own),
    });
  };
  return {
    onProgress: (listener: typeof callback) => void (callback = listener),
    /** Counts a body. One that breaks off is sent again, so it does not count for later ones. */
    ofUpload: (offset: number) =>
      meter(
        () => complete + offset,
        bytes => void (complete += bytes),
      ),
    /** Counts what the platform fetches: each time, the whole file. */
    ofFetch: () =>
      meter(
        () => 0,
        () => undefined,
      ),
  };
}

/** Serves the video at any path below `/media/`. Publishers read it in ranges, platforms as a whole. */
async function startBucket(video: LargeVideo, meter: () => TransformStream<Uint8Array, Uint8Array>) {
  const { promise, resolve } = Promise.withResolvers<AddressInfo>();
  const server = serve(
    {
      port: 0,
      hostname: '127.0.0.1',
      overrideGlobalObjects: false,
      serverOptions: PATIENT,
      fetch: ({ url, method, headers }: Request) => {
        if (!new URL(url).pathname.startsWith('/media/')) return new Response(null, { status: 404 });
        const range = headers.get('range') ?? '';
        const response = serveContent(video.pieces, { type: 'video/mp4', range, headers: { etag: '"1"' } });
        if (method === 'HEAD') return new Response(null, response);
        return range === '' ? new Response(response.body!.pipeThrough(meter()), response) : response;
      },
    },
    resolve,
  );
  const { port } = await promise;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>(done => server.close(() => done())),
  };
}
