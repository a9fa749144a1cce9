import {
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../store.ts';
import { noBuckets } from '../../test/support/bucket.ts';
import { noLambda } from '../../test/support/lambda.ts';
import { noTasks } from '../../test/support/no-tasks.ts';
import { createCalls } from './calls.ts';
import { createAwsFaults } from './faults.ts';
import { startAwsEndpoint, type AwsEndpoint } from './endpoint.ts';
import { createScheduler } from './scheduler.ts';
import { createSqs, type Sqs } from './sqs.ts';
import { createSsm } from './ssm.ts';
import { localClientConfig } from './tables.ts';

let awsEndpoint: AwsEndpoint;
let sqs: SQSClient;
let ssm: SSMClient;
let emulator: Sqs;
const calls = createCalls();
const queueUrl = () => `${awsEndpoint.url}/000000000000/work`;

beforeAll(async () => {
  awsEndpoint = await startAwsEndpoint();
  const store = openStore(null);
  emulator = createSqs(null);
  emulator.createQueue({ name: 'work', attributes: {} }, queueUrl());
  const scheduler = createScheduler({ store, now: Date.now, jitterS: 0, deliver: () => Promise.resolve() });
  awsEndpoint.open({
    dynamoDb: '',
    sqs: emulator,
    lambda: noLambda,
    ssm: createSsm(store, Date.now),
    scheduler,
    faults: createAwsFaults(() => Promise.resolve()),
    calls,
    s3: noBuckets,
    ecs: noTasks,
  });
  sqs = new SQSClient({ ...localClientConfig(awsEndpoint.url), useQueueUrlAsEndpoint: false });
  ssm = new SSMClient(localClientConfig(awsEndpoint.url));
});
afterAll(async () => {
  sqs.destroy();
  ssm.destroy();
  await awsEndpoint.close();
});

describe('SQS', () => {
  const send = (DelaySeconds: number) =>
    sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody: 'x', DelaySeconds }));

  test('accepts a delay of up to 900 s', async () => {
    await expect(send(900)).resolves.toBeDefined();
    await expect(send(901)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await expect(send(-1)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  const sendBody = (MessageBody: string) =>
    sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody }));

  test.each(['\t\n\r ~', 'Grüße', '字', '\ud7ff\ue000\ufffd', '😀\u{10ffff}'])('accepts %j', async body => {
    await expect(sendBody(body)).resolves.toBeDefined();
  });

  test.each(['\0', 'a\bb', '\x1f', '\ufffe', '\uffff'])('refuses %j', async body => {
    await expect(sendBody(body)).rejects.toMatchObject({ name: 'InvalidMessageContents' });
  });

  test('refuses unpaired surrogates', async () => {
    const call = emulator.handle('SendMessage', { QueueUrl: queueUrl(), MessageBody: 'a\ud800' });
    await expect(call).rejects.toMatchObject({ code: 'InvalidMessageContents' });
  });

  test('limits a message and a batch to 1 MiB of UTF-8', async () => {
    const limit = 1_048_576;
    await expect(sendBody('ü'.repeat(limit / 2))).resolves.toBeDefined();
    await expect(sendBody('a'.repeat(limit + 1))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await expect(sendBody('')).rejects.toMatchObject({ name: 'MissingParameter' });
    const Entries = ['a', 'b'].map(Id => ({ Id, MessageBody: 'x'.repeat(limit / 2 + 1) }));
    const batch = sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(), Entries }));
    await expect(batch).rejects.toMatchObject({ name: 'BatchRequestTooLong' });
  });

  test.each([
    ['an empty batch', [], 'EmptyBatchRequest'],
    ['repeated ids', [{ Id: 'a' }, { Id: 'a' }], 'BatchEntryIdsNotDistinct'],
    ['an invalid id', [{ Id: 'a b' }], 'InvalidBatchEntryId'],
  ])('refuses %s', async (_, ids, code) => {
    const Entries = ids.map(({ Id }) => ({ Id, MessageBody: 'x' }));
    const batch = emulator.handle('SendMessageBatch', { QueueUrl: queueUrl(), Entries });
    await expect(batch).rejects.toMatchObject({ code });
  });

  test('refuses a message group with blanks', async () => {
    const input = { QueueUrl: queueUrl(), MessageBody: 'x', MessageGroupId: 'a b' };
    await expect(sqs.send(new SendMessageCommand(input))).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
  });

  test('returns the tracing header of the call that sent the message', async () => {
    emulator.purge();
    const header = 'Root=1-0-0;Lineage=00000000:1';
    await emulator.handle('SendMessage', { QueueUrl: queueUrl(), MessageBody: 'x' }, header);
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl(), MessageSystemAttributeNames: ['AWSTraceHeader'] }),
    );
    expect(Messages![0]!.Attributes).toEqual({ AWSTraceHeader: header });
  });

  test('refuses only the invalid entries of a batch', async () => {
    const Entries = [0, 901, 3].map((DelaySeconds, n) => ({ Id: `e${n}`, MessageBody: 'x', DelaySeconds }));
    const answer = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(), Entries }));
    expect(answer.Successful?.map(({ Id }) => Id)).toEqual(['e0', 'e2']);
    expect(answer.Failed).toMatchObject([{ Id: 'e1', SenderFault: true, Code: 'InvalidParameterValue' }]);
  });

  test('accepts at most ten entries', async () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ Id: `e${n}`, MessageBody: 'x' }));
    const batch = (count: number) =>
      sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(), Entries: entries(count) }));
    await expect(batch(10)).resolves.toBeDefined();
    await expect(batch(11)).rejects.toMatchObject({ name: 'TooManyEntriesInBatchRequest' });
  });

  test('returns QueueDoesNotExist for a queue that is not in the template', async () => {
    const call = new ReceiveMessageCommand({ QueueUrl: `${awsEndpoint.url}/000000000000/other` });
    await expect(sqs.send(call)).rejects.toBeInstanceOf(QueueDoesNotExist);
  });

  test('keeps messages and their receive count across a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sqs-'));
    const first = createSqs(folder);
    first.createQueue({ name: 'kept', attributes: { VisibilityTimeout: '0' } }, queueUrl());
    const QueueUrl = `${awsEndpoint.url}/000000000000/kept`;
    await first.handle('SendMessage', { QueueUrl, MessageBody: 'still here' });
    await first.handle('ReceiveMessage', { QueueUrl });
    first.close();
    const second = createSqs(folder);
    const { body } = await second.handle('ReceiveMessage', {
      QueueUrl,
      MessageSystemAttributeNames: ['All'],
    });
    expect(JSON.parse(body)).toMatchObject({
      Messages: [{ Body: 'still here', Attributes: { ApproximateReceiveCount: '2' } }],
    });
    second.close();
    rmSync(folder, { recursive: true });
  });
});

describe('SSM', () => {
  const put = (Value: string, Overwrite = false) =>
    ssm.send(new PutParameterCommand({ Name: '/p/a', Value, Type: 'SecureString', Overwrite }));
  const get = (Name: string) => ssm.send(new GetParameterCommand({ Name, WithDecryption: true }));

  test('overwrites a parameter only with Overwrite', async () => {
    await put('one');
    await expect(put('two')).rejects.toBeInstanceOf(ParameterAlreadyExists);
    expect(await put('three', true)).toMatchObject({ Version: 2 });
    expect((await get('/p/a')).Parameter).toMatchObject({ Value: 'three', Type: 'SecureString' });
    await expect(get('/p/b')).rejects.toBeInstanceOf(ParameterNotFound);
  });

  test('counts calls by operation', () => {
    expect(calls.report().calls).toContainEqual({
      service: 'ssm',
      operation: 'PutParameter',
      function: '-',
      count: 3,
      read_units: 0,
      write_units: 0,
    });
  });
});
