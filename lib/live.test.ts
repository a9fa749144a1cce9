import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSystem } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { zipSync } from 'fflate';
import PACKAGE from '../package.json' with { type: 'json' };
import { idOf, synthesize, targetsOf, type Reference, type Stack } from '../test/support/template.ts';
import { bundleAll } from './bundle-all.ts';
import { bootProgram, bundleFolder } from './dist.ts';
import LAYER from './layers/broadcaster/package.json' with { type: 'json' };

let stack: Stack;

beforeAll(() => {
  bundleAll();
  stack = synthesize();
});

interface Container {
  Environment: { Name: string; Value: unknown }[];
}

interface TaskDefinition {
  Cpu: string;
  Memory: string;
  TaskRoleArn: Reference;
  ContainerDefinitions: [Container];
}

function taskOf({ template }: Stack): TaskDefinition {
  const [found] = Object.values(template.findResources('AWS::ECS::TaskDefinition'));
  return found!['Properties'] as TaskDefinition;
}

describe('the stream worker', () => {
  test('is reachable from nowhere, and needs no NAT gateway', () => {
    stack.template.resourceCountIs('AWS::EC2::NatGateway', 0);
    stack.template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
    stack.template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      SecurityGroupIngress: Match.absent(),
      SecurityGroupEgress: [443, 80, 1935].map(port => Match.objectLike({ FromPort: port, ToPort: port })),
    });
  });

  test('may read its code, media, the key ring and sessions, and write sessions', () => {
    const statements = stack.statements(idOf(taskOf(stack).TaskRoleArn));
    const actions = statements.flatMap(({ Action }) => Action);
    expect(new Set(actions)).toEqual(
      new Set([
        's3:GetObject',
        'dynamodb:GetItem',
        'dynamodb:UpdateItem',
        'ssm:GetParameter',
        'ssm:GetParameters',
      ]),
    );
    const resources = statements.flatMap(targetsOf).map(resource => JSON.stringify(resource));
    expect(resources.filter(resource => resource.includes('MediaBucket'))).toEqual([
      expect.stringContaining('/public/*'),
    ]);
  });

  test('runs decoders as nobody, and is told names only', () => {
    const [{ Environment }] = taskOf(stack).ContainerDefinitions;
    const variables = Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
    expect(variables).toMatchObject({ DECODER_USER_ID: '65534', BROADCAST_SIZE: '720p' });
    expect(Object.keys(variables).sort()).toEqual([
      'AWS_REGION',
      'BROADCAST_SIZE',
      'CODE_URLS',
      'DECODER_USER_ID',
      'MEDIA_BUCKET',
      'MEDIA_URL',
      'PARAMETER_PREFIX',
      'POWERTOOLS_SERVICE_NAME',
      'TABLE_NAME',
    ]);
  });

  test('has the CPU and memory that its size needs', () => {
    expect(taskOf(stack)).toMatchObject({ Cpu: '1024', Memory: '2048' });
    expect(taskOf(synthesize({ liveSize: '1080p' }))).toMatchObject({ Cpu: '2048', Memory: '4096' });
  });

  test('has the media library of the version that is tested', () => {
    expect(LAYER.optionalDependencies['@seydx/node-av-linux-arm64']).toBe(PACKAGE.dependencies['node-av']);
  });

  test('has its code unpacked last, whose package.json replaces that of the media library', () => {
    const [{ Environment }] = taskOf(stack).ContainerDefinitions;
    const urls = Environment.find(({ Name }) => Name === 'CODE_URLS');
    const hashes = JSON.stringify(urls).match(/[0-9a-f]{64}/g);
    expect(hashes).toHaveLength(2);
    expect(hashes!.at(-1)).toBe(FileSystem.fingerprint(bundleFolder('broadcaster')));
  });

  test.each([
    ['with the setting live: false', { live: 'false' }],
    ['where YouTube is none of the platforms', { platforms: 'bluesky,x' }],
  ])('is not deployed %s', (_, settings) => {
    const { template } = synthesize(settings);
    for (const type of ['AWS::EC2::VPC', 'AWS::ECS::Cluster', 'AWS::ECS::TaskDefinition']) {
      template.resourceCountIs(type, 0);
    }
  });
});

describe('the program of the container', () => {
  test('has no text that CloudFormation takes for a variable, and is small', () => {
    expect(bootProgram()).not.toContain('${');
    expect(bootProgram().length).toBeLessThan(32_000);
  });

  test('fetches the archives with the credentials of the task, unpacks them and runs the worker', () => {
    const folder = mkdtempSync(join(tmpdir(), 'container-'));
    const text = (content: string) => Buffer.from(content);
    const archive = (path: string, files: Record<string, Buffer>) =>
      writeFileSync(join(folder, 'bucket', path), zipSync(files));
    try {
      mkdirSync(join(folder, 'bucket'));
      archive('code.zip', {
        'package.json': text('{"type":"module"}'),
        'main.js': text("import { name } from 'library'; console.log(name, process.argv.length);"),
      });
      archive('library.zip', {
        'package.json': text('{"name":"library-folder"}'),
        'node_modules/library/package.json': text('{"type":"module","exports":"./index.js"}'),
        'node_modules/library/index.js': text("export const name = 'the library';"),
      });
      const preload = new URL('../test/support/container-preload.ts', import.meta.url).href;
      const output = execFileSync(
        process.execPath,
        ['--import', preload, '--input-type=module', '--eval', bootProgram()],
        {
          encoding: 'utf8',
          env: {
            TMPDIR: folder,
            TEMP: folder,
            ARCHIVES: folder,
            AWS_REGION: 'us-east-1',
            AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/1',
            CODE_URLS: ['library', 'code'].map(name => `https://s3.test/bucket/${name}.zip`).join(' '),
          },
        },
      );
      expect(output).toBe('the library 1\n');
      expect(readFileSync(join(folder, 'broadcaster', 'main.js'), 'utf8')).toContain('library');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
