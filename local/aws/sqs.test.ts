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
import { createCalls } from './calls.ts';
import { createAwsFaults } from './faults.ts';
import { startAwsFront, type AwsFront } from './front.ts';
import { createScheduler } from './scheduler.ts';
import { createSqs } from './sqs.ts';
import { createSsm } from './ssm.ts';
import { localClient } from './tables.ts';

let front: AwsFront;
let sqs: SQSClient;
let ssm: SSMClient;
const calls = createCalls();
const queueUrl = () => `${front.url}/000000000000/work`;

beforeAll(async () => {
  front = await startAwsFront();
  const store = openStore(null);
  const emulator = createSqs(null);
  emulator.createQueue({ name: 'work', attributes: {} }, queueUrl());
  const scheduler = createScheduler({ store, now: Date.now, jitterS: 0, deliver: () => Promise.resolve() });
  front.open({
    dynamoDb: '',
    sqs: emulator,
    ssm: createSsm(store, Date.now),
    scheduler,
    faults: createAwsFaults(() => Promise.resolve()),
    calls,
    s3: noBuckets,
  });
  sqs = new SQSClient({ ...localClient(front.url), useQueueUrlAsEndpoint: false });
  ssm = new SSMClient(localClient(front.url));
});
afterAll(async () => {
  sqs.destroy();
  ssm.destroy();
  await front.close();
});

describe('SQS', () => {
  const send = (DelaySeconds: number) =>
    sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(), MessageBody: 'x', DelaySeconds }));

  test('takes a delay of up to 900 s', async () => {
    await expect(send(900)).resolves.toBeDefined();
    await expect(send(901)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await expect(send(-1)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('refuses of a batch only the entries that are wrong', async () => {
    const Entries = [0, 901, 3].map((DelaySeconds, n) => ({ Id: `e${n}`, MessageBody: 'x', DelaySeconds }));
    const answer = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(), Entries }));
    expect(answer.Successful?.map(({ Id }) => Id)).toEqual(['e0', 'e2']);
    expect(answer.Failed).toMatchObject([{ Id: 'e1', SenderFault: true, Code: 'InvalidParameterValue' }]);
  });

  test('takes ten entries, and no more', async () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ Id: `e${n}`, MessageBody: 'x' }));
    const batch = (count: number) =>
      sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(), Entries: entries(count) }));
    await expect(batch(10)).resolves.toBeDefined();
    await expect(batch(11)).rejects.toMatchObject({ name: 'TooManyEntriesInBatchRequest' });
  });

  test('knows no queue that the template does not have', async () => {
    const call = new ReceiveMessageCommand({ QueueUrl: `${front.url}/000000000000/other` });
    await expect(sqs.send(call)).rejects.toBeInstanceOf(QueueDoesNotExist);
  });

  test('keeps messages over a restart, with their count of receipts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sqs-'));
    const first = createSqs(folder);
    first.createQueue({ name: 'kept', attributes: { VisibilityTimeout: '0' } }, queueUrl());
    const QueueUrl = `${front.url}/000000000000/kept`;
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

  test('makes a parameter once, and overwrites it only when told so', async () => {
    await put('one');
    await expect(put('two')).rejects.toBeInstanceOf(ParameterAlreadyExists);
    expect(await put('three', true)).toMatchObject({ Version: 2 });
    expect((await get('/p/a')).Parameter).toMatchObject({ Value: 'three', Type: 'SecureString' });
    await expect(get('/p/b')).rejects.toBeInstanceOf(ParameterNotFound);
  });

  test('counts every call', () => {
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
