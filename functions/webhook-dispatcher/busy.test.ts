import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { stayBusy, type MoreWork } from './busy.ts';

/** A queue of notes, and what was done with them. */
function more(messages: string[], changes: Partial<MoreWork<string>> = {}) {
  const done: string[] = [];
  let asked = 0;
  const work: MoreWork<string> = {
    receive: async () => {
      asked += 1;
      await sleep(1);
      return messages.splice(0, 10);
    },
    work: message => Promise.resolve(void done.push(message)),
    hasTime: () => true,
    ...changes,
  };
  return { work, done, asked: () => asked };
}

test('a batch that is soon done asks the queue for nothing', async () => {
  const { work, done, asked } = more(['a']);
  expect(await stayBusy(Promise.resolve('result'), work)).toBe('result');
  expect(done).toEqual([]);
  expect(asked()).toBe(0);
});

test('while a batch waits, everything else on the queue is worked on', async () => {
  const messages = Array.from({ length: 35 }, (_, i) => `note ${i}`);
  const { work, done } = more([...messages]);
  const slow = Promise.withResolvers<string>();
  const busy = stayBusy(slow.promise, work);
  while (done.length < messages.length) await sleep(5);
  slow.resolve('result');
  expect(await busy).toBe('result');
  expect(done).toEqual(messages);
});

test('no new notes are taken when the time runs short, and the open ones are waited for', async () => {
  let time = true;
  const late = Promise.withResolvers<null>();
  const { work, asked } = more(['a', 'b'], {
    work: () => late.promise.then(() => undefined),
    hasTime: () => time,
  });
  const slow = Promise.withResolvers<string>();
  let over = false;
  const busy = stayBusy(slow.promise, work).finally(() => void (over = true));
  while (asked() === 0) await sleep(5);
  time = false;
  slow.resolve('result');
  await sleep(20);
  expect(over).toBe(false);
  late.resolve(null);
  expect(await busy).toBe('result');
});

test('a batch that breaks breaks the invocation', async () => {
  await expect(stayBusy(Promise.reject(new Error('broken')), more([]).work)).rejects.toThrow('broken');
});

test('at most 64 notes are open before more are taken', async () => {
  let most = 0;
  const open: (() => void)[] = [];
  const messages = Array.from({ length: 500 }, (_, i) => `${i}`);
  const { work } = more(messages, {
    work: () =>
      new Promise<void>(resolve => {
        open.push(resolve);
        most = Math.max(most, open.length);
      }),
  });
  const slow = Promise.withResolvers<string>();
  const busy = stayBusy(slow.promise, work);
  // The batch is one of them, and notes come ten at a time.
  while (messages.length > 0) {
    while (open.length < Math.min(70, messages.length)) await sleep(1);
    await sleep(5);
    for (const letGo of open.splice(0)) letGo();
  }
  slow.resolve('result');
  while (open.length > 0 || (await Promise.race([busy, sleep(1)])) !== 'result')
    for (const letGo of open.splice(0)) letGo();
  expect(most).toBe(70);
});
