import { parseArgs } from 'node:util';

export interface LocalOptions {
  port: number;
  /** Folder of the state; null to keep nothing. */
  data: string | null;
  readyFile: string | null;
  quiet: boolean;
  /** Schedules fire up to this many seconds late. */
  schedulerJitterS: number;
  /** Seconds until a change of an event source mapping takes effect. */
  mappingDelayS: number;
  /** Seconds without an invocation after which an environment of a function ends. */
  idleS: number;
  allowPrivate: boolean;
}

export const DEFAULT_DATA = '.local';

export const USAGE = `Usage: npm start -- [options]

Runs the whole service on this machine, with a sandbox in place of the platforms.

Options:
  --port N               Port of the API; 0 for any free port (default 3000)
  --data DIR             Keep the state in DIR (default ${DEFAULT_DATA})
  --ephemeral            Keep no state
  --ready-file PATH      File to write the URLs and the API key to when ready (default <data>/local.json)
  --scheduler-jitter N   Fire schedules up to N seconds late, 0 to 60 (default 5)
  --mapping-delay N      Begin to poll a queue N seconds after it is turned on, 0 to 60 (default 1; up to 60 in AWS)
  --idle N               End environments of functions that are idle for N seconds, 1 to 600 (default 10): longer takes
                         more memory and has fewer cold starts
  --allow-private        Also allow requests to private networks, not only to this machine
  --quiet                Print no banner and no errors of functions
  --help                 Print this help

Environment variables:
  DYNAMODB_ENDPOINT      URL of a running DynamoDB to use in place of an emulator
  DYNAMODB_ACCESS_KEY    Access key for it: letters and digits (default: local)
  AI_PROVIDER            JSON configuration of an AI provider (default: the built-in writer)`;

/** Parses the command line; null for --help. Throws an error with a message for the user. */
export function readOptions(args: readonly string[]): LocalOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '3000' },
      data: { type: 'string', default: DEFAULT_DATA },
      ephemeral: { type: 'boolean', default: false },
      'ready-file': { type: 'string' },
      'scheduler-jitter': { type: 'string', default: '5' },
      'mapping-delay': { type: 'string', default: '1' },
      idle: { type: 'string', default: '10' },
      'allow-private': { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  return {
    port: wholeNumber('--port', values.port, 65_535),
    data: values.ephemeral ? null : values.data,
    readyFile: values['ready-file'] ?? null,
    quiet: values.quiet,
    schedulerJitterS: wholeNumber('--scheduler-jitter', values['scheduler-jitter'], 60),
    mappingDelayS: wholeNumber('--mapping-delay', values['mapping-delay'], 60),
    idleS: wholeNumber('--idle', values.idle, 600, 1),
    allowPrivate: values['allow-private'],
  };
}

function wholeNumber(name: string, text: string, max: number, min = 0): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not '${text}'`);
}
