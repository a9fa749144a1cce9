import { Hono } from 'hono';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import * as v from 'valibot';
import { openIngest, type Ingest } from '../live/ingest.ts';
import { asMp4 } from '../live/recording.ts';
import { serveContent } from './media/serve.ts';
import type { PlayedPlatforms } from './played.ts';

/** Opens the RTMP ingest of all platforms that receive live streams. */
export async function openPlatformIngest(
  platforms: PlayedPlatforms,
  folder: string,
  port: number,
): Promise<Ingest> {
  const receivers = [...platforms.values()].flatMap(platform => platform.ingest ?? []);
  const ingest = await openIngest({
    folder,
    port,
    onStarted: key => receivers.some(receiver => receiver.streamStarted(key)),
    onStopped: key => receivers.forEach(receiver => receiver.streamStopped(key)),
  });
  for (const receiver of receivers) receiver.listenAt(ingest.url);
  return ingest;
}

/** Serves what was received of a broadcast until now, at `/<platform>/<id>`. Without ranges, as it may still grow. */
export function recordingsApp(platforms: PlayedPlatforms, recordOf: Ingest['record']): Hono {
  const app = new Hono();
  app.get('/:platform/:id', async c => {
    const platform = v.safeParse(PlatformIdSchema, c.req.param('platform'));
    const ingest = platform.success ? platforms.get(platform.output)?.ingest : undefined;
    const key = ingest?.streamKeyOf(c.req.param('id')) ?? null;
    const record = key === null ? null : recordOf(key);
    const video = record === null ? null : await asMp4(record).catch(() => null);
    if (!video) return c.json({ error: 'Nothing was received of this broadcast' }, 404);
    return serveContent([video], { type: 'video/mp4', range: null });
  });
  return app;
}
