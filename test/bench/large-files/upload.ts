import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { PublishedPost } from '../../../shared/model/destination.ts';
import { peakMibOf } from '../../support/peak-memory.ts';
import type { Hosts } from './hosts.ts';
import type { PublishTask, Report } from './messages.ts';
import { bundleProgram } from './program.ts';

const MAX_STARTS = 500;

export interface Upload {
  post: PublishedPost;
  kills: number;
  /** Of all processes; null where the system does not tell. */
  peak_mib: number | null;
}

/** Publishes a post, and kills the publisher's process each time that the platform has so many more bytes of the file. */
export async function publishWithKills(
  hosts: Hosts,
  task: Omit<PublishTask, 'now'>,
  killEvery: number,
): Promise<Upload> {
  let { destination } = task;
  const published: { post: PublishedPost | null } = { post: null };
  let kills = 0;
  let peak: number | null = null;
  let child: ChildProcess | null = null;
  const measure = () => {
    const mib = child?.pid === undefined ? null : peakMibOf(child.pid);
    if (mib !== null) peak = Math.max(peak ?? 0, mib);
  };
  hosts.onProgress(bytes => {
    if (child === null || bytes < (kills + 1) * killEvery) return;
    measure();
    child.kill('SIGKILL');
    child = null;
    kills += 1;
  });

  const program = bundleProgram();
  try {
    for (let starts = 0; published.post === null; starts += 1) {
      if (starts >= MAX_STARTS) throw new Error(`Not published after ${MAX_STARTS} starts`);
      const process = fork(program.path, { serialization: 'advanced', execArgv: ['--no-deprecation'] });
      child = process;
      process.on('message', (report: Report) => {
        measure();
        if (report.type === 'stored') ({ destination } = report);
        else if (report.type === 'published') published.post = report.post;
        else hosts.sandbox.advance(report.ms);
      });
      // Delivery gives up after ten deaths in a row, of which a large file in one request has more here.
      destination = { ...destination, failures: 0 };
      process.send({ ...task, destination, now: hosts.sandbox.now() });
      // What the process reported before it was killed arrives before the channel is closed.
      const [[code]] = (await Promise.all([once(process, 'exit'), once(process, 'disconnect')])) as [
        [number | null],
        unknown,
      ];
      if (code !== null && code !== 0) throw new Error('The publisher failed');
      await hosts.idle();
    }
    return { post: published.post, kills, peak_mib: peak };
  } finally {
    program.remove();
  }
}
