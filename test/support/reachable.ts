import { buildSync } from 'esbuild';
import { basename, join } from 'node:path';
import { functionNames } from '../../lib/bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What the project's own code does that a function can reach: everything else was dropped from its bundle. */
export interface Reach {
  /** IAM actions of the AWS calls, `ssm:` ones aside: the same call reads the key ring and the platform apps. */
  actions: string[];
  /** Reads the ring of keys. */
  keyRing: boolean;
  /** Reads the operator's registrations at platforms. */
  platformApps: boolean;
  /** Settings that it asks for, by their names in `ENV`; `publishQueue` for the queue of a platform. */
  settings: string[];
}

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  Get: ['dynamodb:GetItem'],
  BatchGet: ['dynamodb:BatchGetItem'],
  Query: ['dynamodb:Query'],
  Put: ['dynamodb:PutItem'],
  Update: ['dynamodb:UpdateItem'],
  Delete: ['dynamodb:DeleteItem'],
  BatchWrite: ['dynamodb:BatchWriteItem'],
  SendMessage: ['sqs:SendMessage'],
  // Whoever works off a queue may do these anyway.
  ReceiveMessage: [],
  DeleteMessage: [],
  CreateSchedule: ['scheduler:CreateSchedule', 'iam:PassRole'],
  UpdateSchedule: ['scheduler:UpdateSchedule', 'iam:PassRole'],
  DeleteSchedule: ['scheduler:DeleteSchedule'],
  GetObject: ['s3:GetObject'],
  // Without the right to list, what is missing looks like what is forbidden.
  HeadObject: ['s3:GetObject', 's3:ListBucket'],
  PutObject: ['s3:PutObject'],
  CopyObject: ['s3:GetObject', 's3:PutObject'],
  DeleteObject: ['s3:DeleteObject'],
  CreateMultipartUpload: ['s3:PutObject'],
  UploadPart: ['s3:PutObject'],
  UploadPartCopy: ['s3:GetObject', 's3:PutObject'],
  CompleteMultipartUpload: ['s3:PutObject'],
  AbortMultipartUpload: ['s3:AbortMultipartUpload'],
  ListParts: ['s3:ListMultipartUploadParts'],
  PutParameter: ['ssm:PutParameter'],
  GetParameter: [],
  Converse: ['bedrock:InvokeModel'],
};

/** A transaction needs the rights of its parts. */
const PARTS: Readonly<Record<string, string>> = {
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
  Delete: 'dynamodb:DeleteItem',
  ConditionCheck: 'dynamodb:ConditionCheckItem',
};

/** Bundles every function without its packages and reads what is left. */
export function reachOfFunctions(): ReadonlyMap<string, Reach> {
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: functionNames().map(name => ({ in: `functions/${name}/index.ts`, out: name })),
    outdir: 'unused',
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path, '.js'), reachOf(text)]));
}

function reachOf(code: string): Reach {
  const commands = names(code, /new ([A-Z]\w*?)Command\d*\(/g);
  const actions = commands.flatMap(command =>
    command === 'TransactWrite'
      ? names(code, /\b(\w+): \{\s*TableName/g).map(partAction)
      : actionsOf(command),
  );
  const platformQueue = code.includes('setting(publishQueueVariable(') ? ['publishQueue'] : [];
  return {
    actions: [...new Set(actions)].sort(),
    keyRing: code.includes('.keyRing()'),
    // Its declaration, and a call.
    platformApps: code.split('loadPlatformApp(').length > 2,
    settings: [...names(code, /setting\(ENV\.(\w+)\)/g), ...platformQueue].sort(),
  };
}

function names(code: string, pattern: RegExp): string[] {
  return [...new Set([...code.matchAll(pattern)].map(match => match[1] ?? ''))];
}

function actionsOf(command: string): readonly string[] {
  const actions = COMMANDS[command];
  if (!actions) throw new Error(`No IAM action is known for ${command}Command: add it to the table here`);
  return actions;
}

function partAction(part: string): string {
  const action = PARTS[part];
  if (action === undefined) throw new Error(`"${part}" is no part of a transaction`);
  return action;
}
