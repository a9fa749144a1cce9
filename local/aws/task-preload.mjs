/**
 * Loaded into the process of a task: sets the stack's clock, and ends the process with the process that started it, so
 * that a killed local stack leaves no task behind. Plain JavaScript, because it is outside the program that it serves.
 */
import { createClock, installClock } from '../clock.ts';

const clock = createClock(Number(process.env.CLOCK_OFFSET_MS));
installClock(clock.memory);

process.on('message', ({ offset_ms, signal }) => {
  if (offset_ms !== undefined) clock.advance((offset_ms - clock.offsetMs()) / 1000);
  // Windows has no signals that a process could handle.
  if (signal !== undefined) process.emit(signal);
});
process.once('disconnect', () => process.exit(137));
process.channel.unref();
