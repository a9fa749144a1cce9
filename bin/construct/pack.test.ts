import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../lib/dist.ts';
import { packConstruct } from './pack.ts';

interface Template {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  Outputs: Record<string, unknown>;
}

interface Manifest {
  files: Record<string, { source: { path: string } }>;
}

const PAGE = readFileSync(join(ROOT, 'docs/construct.md'), 'utf8');
const EXAMPLE = /```ts\n(?<code>.*?)```/s.exec(PAGE)?.groups?.['code'] ?? '';
/** What the app of the example brings. */
const BROUGHT = ['aws-cdk-lib', 'constructs', '@types/node'];
const CHECK = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', skipLibCheck: true };

let app: string;
let template: Template;

/** Runs a program in the folder of the app. Throws its output when it fails. */
function run(command: string, args: string[]): void {
  const env = { ...process.env, NODE_OPTIONS: '', CDK_OUTDIR: 'cdk.out', CDK_VALIDATION: 'false' };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: app, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}

const read = (path: string): unknown => JSON.parse(readFileSync(join(app, path), 'utf8'));

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'app-'));
  const tarball = packConstruct(app);
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  // Without a registry: the package needs nothing but what the app brings.
  run('npm', ['install', '--offline', '--legacy-peer-deps', '--no-audit', '--no-fund', tarball]);
  for (const name of BROUGHT) {
    mkdirSync(join(app, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
  }
  writeFileSync(join(app, 'app.ts'), EXAMPLE);
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions: CHECK, files: ['app.ts'] }));
  run(process.execPath, ['app.ts']);
  template = read('cdk.out/my-app.template.json') as Template;
}, 120_000);
afterAll(() => rmSync(app, { recursive: true }));

const ofType = (type: string) => Object.values(template.Resources).filter(({ Type }) => Type === type);

test('the documented app has the types of the construct', () => {
  run(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc')]);
});

test('the documented app synthesizes with its own table and topic, and the platforms that it names', () => {
  expect(ofType('AWS::DynamoDB::GlobalTable')).toHaveLength(1);
  expect(ofType('AWS::SNS::Topic')).toHaveLength(1);
  for (const { Properties } of ofType('AWS::CloudWatch::Alarm')) {
    expect(Properties['AlarmActions']).toHaveLength(1);
  }
  expect(JSON.stringify(ofType('AWS::SNS::TopicPolicy'))).toContain('cloudwatch.amazonaws.com');
  const publishers = ofType('AWS::Lambda::Function').filter(each =>
    JSON.stringify(each).includes('"PLATFORM":'),
  );
  expect(publishers).toHaveLength(3);
  expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(['BaseUrl', 'TableName', 'Posting']));
});

test('the functions run the bundles of the package', () => {
  const { files } = read('cdk.out/my-app.assets.json') as Manifest;
  const folders = Object.values(files).map(({ source }) => join(app, 'cdk.out', source.path));
  const bundles = folders.filter(folder => existsSync(join(folder, 'index.js')));
  expect(bundles.length).toBeGreaterThan(10);
});

test('the package has no sources', () => {
  expect(read('node_modules/social-publishing-service/package.json')).not.toHaveProperty('dependencies');
  expect(existsSync(join(app, 'node_modules/social-publishing-service/lib/social-publishing.ts'))).toBe(
    false,
  );
  expect(existsSync(join(app, 'node_modules/social-publishing-service/functions'))).toBe(false);
});
