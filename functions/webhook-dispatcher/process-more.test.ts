import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { processMoreWhile, type QueueWork } from './process-more.ts';

/** Creates queue work over a list of messages and records which were processed. */
function queueWork(messages: string[], changes: Partial<QueueWork<string>> = {}) {
  const processed: string[] = [];
  let receives = 0;
  const work: QueueWork<string> = {
    receive: async () => {
      receives += 1;
      await sleep(1);
      return messages.splice(0, 10);
    },
    work: message => Promise.resolve(void processed.push(message)),
    hasTime: () => true,
    ...changes,
  };
  return { work, processed, receives: () => receives };
}

test('does not receive messages when the batch is fast', async () => {
  const { work, processed, receives } = queueWork(['a']);
  expect(await processMoreWhile(Promise.resolve('result'), work)).toBe('result');
  expect(processed).toEqual([]);
  expect(receives()).toBe(0);
});

test('processes the whole queue while a batch waits', async () => {
  const messages = Array.from({ length: 35 }, (_, i) => `message ${i}`);
  const { work, processed } = queueWork([...messages]);
  const slow = Promise.withResolvers<string>();
  const running = processMoreWhile(slow.promise, work);
  while (processed.length < messages.length) await sleep(5);
  slow.resolve('result');
  expect(await running).toBe('result');
  expect(processed).toEqual(messages);
});

test('receives nothing when time runs short, and awaits the messages in progress', async () => {
  let time = true;
  const late = Promise.withResolvers<null>();
  const { work, receives } = queueWork(['a', 'b'], {
    work: () => late.promise.then(() => undefined),
    hasTime: () => time,
  });
  const slow = Promise.withResolvers<string>();
  let ended = false;
  const running = processMoreWhile(slow.promise, work).finally(() => void (ended = true));
  while (receives() === 0) await sleep(5);
  time = false;
  slow.resolve('result');
  await sleep(20);
  expect(ended).toBe(false);
  late.resolve(null);
  expect(await running).toBe('result');
});

test('throws when the batch fails', async () => {
  await expect(processMoreWhile(Promise.reject(new Error('failed')), queueWork([]).work)).rejects.toThrow(
    'failed',
  );
});

test('receives no more while 64 messages are in progress', async () => {
  let most = 0;
  const open: (() => void)[] = [];
  const messages = Array.from({ length: 500 }, (_, i) => `${i}`);
  const { work } = queueWork(messages, {
    work: () =>
      new Promise<void>(resolve => {
        open.push(resolve);
        most = Math.max(most, open.length);
      }),
  });
  const slow = Promise.withResolvers<string>();
  const running = processMoreWhile(slow.promise, work);
  // The batch counts as one, and messages come ten at a time.
  while (messages.length > 0) {
    while (open.length < Math.min(70, messages.length)) await sleep(1);
    await sleep(5);
    for (const finish of open.splice(0)) finish();
  }
  slow.resolve('result');
  while (open.length > 0 || (await Promise.race([running, sleep(1)])) !== 'result')
    for (const finish of open.splice(0)) finish();
  expect(most).toBe(70);
});
