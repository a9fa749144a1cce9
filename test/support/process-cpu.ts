import { readFileSync } from 'node:fs';

/** Of the kernel's clock, on every Linux that Node.js runs on. */
const TICKS_A_SECOND = 100;

/** Returns the CPU time of a process and of its children that have ended, in seconds; 0 where there is no `/proc`. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces. User and system time, own and of children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    return 0;
  }
}
