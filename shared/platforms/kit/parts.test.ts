import { describe, expect, test } from '@jest/globals';
import { PlatformError } from '../contract/error.ts';
import {
  equalParts,
  listedParts,
  NO_PROGRESS,
  uploadParts,
  type PartReceipt,
  type PartsUpload,
  type Progress,
  type UploadPart,
} from './parts.ts';

const content = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
const file: PartsUpload['file'] = {
  size: content.length,
  read: (start, length) => Promise.resolve(content.subarray(start, start + length)),
};

const transient = () =>
  new PlatformError({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE', message: 'try again' });
const rejected = () => new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message: 'no' });

/** A platform that stores what it is sent. `failing`: what it throws for the next requests; `store` may keep less. */
function platform(failing: (Error | null)[] = []) {
  let stored = Buffer.alloc(0);
  const requests: [start: number, end: number][] = [];
  return {
    stored: () => stored,
    requests,
    send: (part: UploadPart, keep = part.bytes.length): Promise<PartReceipt> => {
      requests.push([part.start, part.end]);
      const error = failing.shift();
      if (error) return Promise.reject(error);
      stored = Buffer.concat([stored.subarray(0, part.start), part.bytes.subarray(0, keep)]);
      return Promise.resolve({ offset: stored.length, receipt: `etag-${part.index}` });
    },
  };
}

const upload = (changes: Partial<PartsUpload>, from: Progress = NO_PROGRESS) =>
  uploadParts(
    {
      file,
      partAt: equalParts(file.size, 30),
      send: () => Promise.resolve(undefined),
      remainingMs: () => 60_000,
      partMs: 1000,
      retryDelayMs: 1,
      ...changes,
    },
    from,
  );

describe('an upload in parts', () => {
  test('sends equal parts in order and collects their receipts', async () => {
    const { send, stored, requests } = platform();
    const result = await upload({ send: part => send(part) });
    expect(result).toEqual({
      done: true,
      sent: 4,
      progress: { offset: 100, receipts: ['etag-0', 'etag-1', 'etag-2', 'etag-3'] },
    });
    expect(requests).toEqual([
      [0, 30],
      [30, 60],
      [60, 90],
      [90, 100],
    ]);
    expect(stored().equals(content)).toBe(true);
  });

  test('sends the parts that the platform listed', async () => {
    const { send, requests, stored } = platform();
    const parts = [
      { start: 0, end: 64 },
      { start: 64, end: 100 },
    ];
    await upload({ partAt: listedParts(parts), send: part => send(part) });
    expect(requests).toEqual(parts.map(({ start, end }) => [start, end]));
    expect(stored().equals(content)).toBe(true);
  });

  test('marks the last part', async () => {
    const last: boolean[] = [];
    await upload({ send: ({ isLast }) => (last.push(isLast), Promise.resolve(undefined)) });
    expect(last).toEqual([false, false, false, true]);
  });

  test('continues at the offset of the platform, which kept less than was sent', async () => {
    const { send, stored, requests } = platform();
    await upload({ send: part => send(part, requests.length === 0 ? 7 : undefined) });
    expect(requests.slice(0, 3)).toEqual([
      [0, 30],
      [7, 30],
      [30, 60],
    ]);
    expect(stored().equals(content)).toBe(true);
  });

  test('stops for a checkpoint after so many parts and resumes from it', async () => {
    const { send, stored, requests } = platform();
    const first = await upload({ send: part => send(part), maxParts: 3 });
    expect(first).toMatchObject({ done: false, sent: 3, progress: { offset: 90 } });
    const second = await upload({ send: part => send(part), maxParts: 3 }, first.progress);
    expect(second).toMatchObject({ done: true, sent: 1, progress: { receipts: { length: 4 } } });
    expect(requests).toHaveLength(4);
    expect(stored().equals(content)).toBe(true);
  });

  test('starts no part without the time for it', async () => {
    let remaining = 2500;
    const { send } = platform();
    const result = await upload({
      send: part => ((remaining -= 1000), send(part)),
      remainingMs: () => remaining,
    });
    expect(result).toMatchObject({ done: false, sent: 2, progress: { offset: 60 } });
  });

  test('repeats a part after transient errors', async () => {
    const { send, stored, requests } = platform([null, transient(), transient()]);
    expect(await upload({ send: part => send(part) })).toMatchObject({ done: true, sent: 4 });
    expect(requests.slice(1, 4)).toEqual([
      [30, 60],
      [30, 60],
      [30, 60],
    ]);
    expect(stored().equals(content)).toBe(true);
  });

  test('returns its progress before it throws a lasting transient error', async () => {
    const { send } = platform([null, ...Array.from({ length: 10 }, transient)]);
    const first = await upload({ send: part => send(part) });
    expect(first).toMatchObject({ done: false, sent: 1, progress: { offset: 30 } });
    await expect(upload({ send: part => send(part) }, first.progress)).rejects.toMatchObject({
      kind: 'transient',
    });
  });

  test('throws a rejection at once', async () => {
    const { send, requests } = platform([null, rejected()]);
    await expect(upload({ send: part => send(part) })).rejects.toMatchObject({ code: 'MEDIA_REJECTED' });
    expect(requests).toHaveLength(2);
  });

  test('asks the platform for its offset when it resumes and after a lost response', async () => {
    const { send, stored, requests } = platform();
    let lost = true;
    const losing = async (part: UploadPart) => {
      const receipt = await send(part);
      if (part.start === 60 && lost) {
        lost = false;
        throw transient();
      }
      return receipt;
    };
    await send({ index: 0, start: 0, end: 30, bytes: content.subarray(0, 30), isLast: false });
    // The checkpoint of the first part was lost.
    const result = await upload({
      send: losing,
      confirmedOffset: () => Promise.resolve(stored().length),
    });
    expect(result).toMatchObject({ done: true, progress: { offset: 100 } });
    expect(requests).toEqual([
      [0, 30],
      [30, 60],
      [60, 90],
      [90, 100],
    ]);
    expect(stored().equals(content)).toBe(true);
  });

  test('fails when the platform keeps nothing of a part', async () => {
    const send = ({ start }: UploadPart) => Promise.resolve({ offset: start });
    await expect(upload({ send })).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringMatching(/accepted no bytes/),
    });
  });
});
