import { buildSync } from 'esbuild';
import { basename, join } from 'node:path';
import { functionNames } from '../../lib/bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What a function's bundle can do: esbuild has removed code that the function cannot reach. */
export interface Reach {
  /** IAM actions of its AWS calls, except `ssm:` (the same call reads the key ring and the platform apps). */
  actions: string[];
  /** Whether it reads the key ring. */
  keyRing: boolean;
  /** Whether it reads platform apps. */
  platformApps: boolean;
  /** Settings that it reads, by their names in `ENV`; `publishQueue` and `publishMapping` for those of each platform. */
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
  Invoke: ['lambda:InvokeFunction'],
  GetEventSourceMapping: ['lambda:GetEventSourceMapping'],
  UpdateEventSourceMapping: ['lambda:UpdateEventSourceMapping'],
  // Event source mappings grant these to consumers.
  ReceiveMessage: [],
  DeleteMessage: [],
  ChangeMessageVisibility: [],
  CreateSchedule: ['scheduler:CreateSchedule', 'iam:PassRole'],
  UpdateSchedule: ['scheduler:UpdateSchedule', 'iam:PassRole'],
  DeleteSchedule: ['scheduler:DeleteSchedule'],
  GetObject: ['s3:GetObject'],
  // Without s3:ListBucket, S3 answers 403 in place of 404.
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
  RunTask: ['ecs:RunTask', 'iam:PassRole'],
  StopTask: ['ecs:StopTask'],
  DescribeTasks: ['ecs:DescribeTasks'],
  ListTasks: ['ecs:ListTasks'],
  PutParameter: ['ssm:PutParameter'],
  GetParameter: [],
  GetParameters: [],
  Converse: ['bedrock:InvokeModel'],
};

/** A transaction needs the permissions of its actions. */
const PARTS: Readonly<Record<string, string>> = {
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
  Delete: 'dynamodb:DeleteItem',
  ConditionCheck: 'dynamodb:ConditionCheckItem',
};

/** Bundles every function without its packages and analyzes the remaining code. */
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
  const perPlatform = ['publishQueue', 'publishMapping'].filter(setting =>
    code.includes(`setting(${setting}Variable(`),
  );
  return {
    actions: [...new Set(actions)].sort(),
    keyRing: code.includes('.keyRing('),
    // One occurrence is the declaration.
    platformApps: code.split('loadPlatformApp(').length > 2,
    settings: [...names(code, /setting\(ENV\.(\w+)\)/g), ...perPlatform].sort(),
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
  if (action === undefined) throw new Error(`"${part}" is not an action of a transaction`);
  return action;
}
