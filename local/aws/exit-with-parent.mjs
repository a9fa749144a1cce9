/**
 * Runs a command and kills it (with the signal EXIT_SIGNAL, default SIGKILL) when this process's standard input closes, then
 * removes the folder EXIT_REMOVES if it is set. The operating system closes that pipe when the parent exits for any reason,
 * so a killed parent leaves no emulator behind. Plain JavaScript, to start in milliseconds.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const exit = code => {
  if (process.env.EXIT_REMOVES) rmSync(process.env.EXIT_REMOVES, { recursive: true, force: true });
  process.exit(code);
};
const end = () => child.kill(process.env.EXIT_SIGNAL ?? 'SIGKILL');

child.on('error', error => {
  console.error(error.message);
  exit(127);
});
child.on('exit', code => exit(code ?? 1));
process.stdin.on('end', end).on('error', end).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
