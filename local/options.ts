import { parseArgs } from 'node:util';

export interface LocalOptions {
  port: number;
  /** Folder that keeps the state; null: nothing is kept. */
  data: string | null;
  readyFile: string | null;
  quiet: boolean;
  /** Latest firing of a schedule, in seconds. */
  schedulerJitterS: number;
  allowPrivate: boolean;
}

export const DEFAULT_DATA = '.local';

export const USAGE = `Usage: npm start -- [options]
  --port N               port of the API (default 3000, 0: any free port)
  --data DIR             keep state in DIR (default ${DEFAULT_DATA})
  --ephemeral            keep nothing
  --ready-file PATH      where to write addresses and key when ready (default <data>/local.json)
  --scheduler-jitter N   schedules fire up to N seconds late (default 5)
  --allow-private        let functions reach private networks too, not only this machine
  --quiet                no banner, no errors of functions on the console`;

/** Reads the command line. Throws an error that a person can act on. */
export function readOptions(args: string[]): LocalOptions {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '3000' },
      data: { type: 'string', default: DEFAULT_DATA },
      ephemeral: { type: 'boolean', default: false },
      'ready-file': { type: 'string' },
      'scheduler-jitter': { type: 'string', default: '5' },
      'allow-private': { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
    },
  });
  return {
    port: whole('--port', values.port, 65_535),
    data: values.ephemeral ? null : values.data,
    readyFile: values['ready-file'] ?? null,
    quiet: values.quiet,
    schedulerJitterS: whole('--scheduler-jitter', values['scheduler-jitter'], 60),
    allowPrivate: values['allow-private'],
  };
}

function whole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new Error(`${name} must be a whole number from 0 to ${most}, not '${text}'`);
}
