import { existsSync, readFileSync } from 'node:fs';

/** Returns the peak memory of this process in MiB. On Linux, `maxRSS` starts with the peak of the parent process. */
export function peakMib(): number {
  const status = '/proc/self/status';
  const own = existsSync(status) ? /VmHWM:\s*(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  return Math.round(Number(own ?? process.resourceUsage().maxRSS) / 1024);
}
