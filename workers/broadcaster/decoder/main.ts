import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Log } from 'node-av/lib';
import { AV_LOG_QUIET } from 'node-av/constants';
import * as v from 'valibot';
import { createHttpClient } from '../../../shared/net/http.ts';
import type { PictureFormat } from '../format.ts';
import { ItemError } from '../item-error.ts';
import { openByteSource, type ByteSource } from './byte-source.ts';
import { copyTicks } from './copy-ticks.ts';
import { JobSchema, TICKS_FD, type Job, type Notice } from './job.ts';
import { openMediaFile } from './media-file.ts';
import { surveyFile } from './survey.ts';
import { writeTicks } from './write-ticks.ts';

/*
 * The process that decodes one item, or surveys it. FFmpeg parses files of strangers here: when it crashes, hangs or runs out
 * of memory, only this process ends.
 */

async function run(job: Job): Promise<void> {
  const http = createHttpClient({ sandboxUrl: null, ...job.net });
  const source = await openByteSource(http, job.url);
  if (job.task.type === 'survey') notify({ type: 'surveyed', facts: await surveyFile(source, job.format) });
  else await play(source, job.format, job.task);
  notify({ type: 'ended' });
}

async function play(
  source: ByteSource,
  format: PictureFormat,
  task: Exclude<Job['task'], { type: 'survey' }>,
): Promise<void> {
  const ticks = new Socket({ fd: TICKS_FD, readable: false, writable: true });
  ticks.once('error', () => process.exit(1));
  const write = async (bytes: Buffer) => {
    if (!ticks.write(bytes)) await once(ticks, 'drain');
  };
  const file = await openMediaFile(source, task.type === 'decode');
  notify({
    type: 'opened',
    duration_ms: file.duration_s === null ? null : Math.round(file.duration_s * 1000),
    has_sound: file.sound !== null,
  });
  if (task.type === 'copy') await copyTicks(file, format, task.copied, write);
  else
    await writeTicks(file, format, async (picture, sound) => {
      await write(picture);
      await write(sound);
    });
  await new Promise<void>(resolve => ticks.end(resolve));
  const failure = source.failure();
  if (failure) throw failure;
}

function notify(notice: Notice): void {
  process.stdout.write(`${JSON.stringify(notice)}\n`);
}

function failed(error: unknown): Notice {
  if (error instanceof ItemError) return { type: 'failed', code: error.code, message: error.message };
  return { type: 'failed', code: 'NOT_PLAYABLE', message: error instanceof Error ? error.message : 'Error' };
}

Log.setLevel(AV_LOG_QUIET);
const input = createInterface({ input: process.stdin });
// The broadcaster keeps the standard input open: without it, nobody needs this process.
process.stdin.once('close', () => process.exit(1));
const line = await new Promise<string>(resolve => input.once('line', resolve));
await run(v.parse(v.pipe(v.string(), v.parseJson(), JobSchema), line)).catch((error: unknown) =>
  notify(failed(error)),
);
process.stdout.end(() => process.exit(0));
