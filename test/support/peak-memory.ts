import { existsSync, readFileSync } from 'node:fs';

/** Returns the peak memory of this process in MiB. On Linux, `maxRSS` starts with the peak of the parent process. */
export function peakMib(): number {
  return peakMibOf('self') ?? Math.round(process.resourceUsage().maxRSS / 1024);
}

/** Returns the peak memory of a process in MiB; null where the system does not tell. */
export function peakMibOf(pid: number | 'self'): number | null {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return null;
  const kib = /VmHWM:\s*(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}
