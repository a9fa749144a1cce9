import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { LANGUAGES, TONES, type Brief } from '../../shared/ai/brief.ts';
import { offlineWriter } from '../../shared/ai/offline/writer.ts';
import { unavailable, unusable, type Writer } from '../../shared/ai/writer.ts';
import { setPlan } from '../../shared/store/workspaces.ts';
import { getMonthlyUsage, RESERVED_MS } from '../../shared/store/usage.ts';
import { servedApi, type ServedApi } from '../../test/support/served-api.ts';
import type { Json } from '../../test/support/stack.ts';
import { generateRoute } from './generate.ts';

let write: Writer['write'] = offlineWriter.write;
const writer: Writer = { ...offlineWriter, write: (...args) => write(...args) };
let api: ServedApi;
beforeAll(async () => {
  api = await servedApi([generateRoute(() => Promise.resolve(writer))], { plan: 'enterprise' });
});
beforeEach(() => {
  write = offlineWriter.write;
});
afterAll(() => api.close());

const generate = (body: unknown, headers?: Record<string, string>) =>
  api.call('POST', '/ai/generate', body, headers);
const caption = (change: Json = {}, headers?: Record<string, string>) =>
  generate({ type: 'caption', topic: 'Coffee', ...change }, headers);
const used = () => getMonthlyUsage(api.services.table, api.workspace.workspace_id, 'AI', api.clock.now);
const fieldsOf = (body: Json): string[] => body.details.map(({ field }: Json) => field);

/** Moves the clock to a month without usage and sets the plan. */
async function freshMonth(plan: 'starter' | 'enterprise'): Promise<void> {
  api.clock.now += 40 * 86_400_000;
  await setPlan(api.services.table, api.workspace.workspace_id, plan);
}

describe('POST /ai/generate', () => {
  test('applies the defaults of fields that were not sent', async () => {
    const { status, body, headers } = await caption();
    expect(status).toBe(200);
    expect(body).toEqual({
      type: 'caption',
      platforms: ['instagram'],
      tone: 'casual',
      language: 'en',
      result: { instagram: { caption: expect.any(String), hashtags: expect.stringMatching(/^#coffee/) } },
    });
    expect(headers['x-ai-provider']).toBe('offline');
  });

  test('returns every named platform once', async () => {
    const { body } = await caption({ platforms: ['x', 'linkedin', 'x'] });
    expect(body.platforms).toEqual(['x', 'linkedin']);
    expect(Object.keys(body.result)).toEqual(['x', 'linkedin']);
  });

  test.each(TONES.flatMap(tone => LANGUAGES.map(language => [tone, language])))(
    'writes in tone %s and language %s',
    async (tone, language) => {
      const { status, body } = await caption({ tone, language, platforms: ['facebook'] });
      expect([status, body.tone, body.language]).toEqual([200, tone, language]);
      expect(body.result.facebook.caption.length).toBeGreaterThan(10);
    },
  );

  test.each([0, 1, 15, 30])('returns %i hashtags and no caption for type hashtags', async hashtag_count => {
    const { body } = await generate({ type: 'hashtags', topic: 'Coffee', hashtag_count });
    expect(body.result.instagram.caption).toBe('');
    const hashtags: string[] = body.result.instagram.hashtags.split(' ').filter(Boolean);
    expect(hashtags).toHaveLength(hashtag_count);
    expect(new Set(hashtags).size).toBe(hashtag_count);
  });

  test.each(['repurpose', 'improve'])('keeps facts and links of the text for type %s', async type => {
    const text = 'our new  shop opens on 4 May , come to https://example.com/shop !!!';
    const { status, body } = await generate({ type, text, platforms: ['facebook', 'x'] });
    expect(status).toBe(200);
    for (const { caption } of Object.values<Json>(body.result)) {
      expect(caption).toContain('4 May');
      expect(caption).toContain('https://example.com/shop');
    }
  });

  test('treats null as not sent', async () => {
    expect((await caption({ text: null, platforms: null, context: null, tone: null })).status).toBe(200);
  });
});

describe('validation', () => {
  test.each<[Json, string[]]>([
    [{}, ['type']],
    [{ type: 'poem', topic: 'Coffee' }, ['type']],
    [{ type: 'caption' }, ['topic']],
    [{ type: 'caption', topic: ' \n ' }, ['topic']],
    [{ type: 'hashtags', text: 'Coffee' }, ['topic']],
    [{ type: 'repurpose', topic: 'Coffee' }, ['text']],
    [{ type: 'improve' }, ['text']],
    [{ type: 'caption', topic: 'x'.repeat(501) }, ['topic']],
    [{ type: 'improve', text: 'x'.repeat(3001) }, ['text']],
    [{ type: 'caption', topic: 'x', context: 'x'.repeat(501) }, ['context']],
    [{ type: 'caption', topic: 'x', platforms: [] }, ['platforms']],
    [{ type: 'caption', topic: 'x', platforms: 'x' }, ['platforms']],
    [{ type: 'caption', topic: 'x', platforms: ['x', 'snapchat'] }, ['platforms[1]']],
    [{ type: 'caption', topic: 'x', platforms: Array(6).fill('x') }, ['platforms']],
    [
      { type: 'caption', topic: 'x', platforms: [...Array(5).fill('x'), 'gbp'] },
      ['platforms', 'platforms[5]'],
    ],
    [{ type: 'caption', topic: 'x', tone: 'angry' }, ['tone']],
    [{ type: 'caption', topic: 'x', language: 'it' }, ['language']],
    [{ type: 'hashtags', topic: 'x', hashtag_count: 31 }, ['hashtag_count']],
    [{ type: 'hashtags', topic: 'x', hashtag_count: -1 }, ['hashtag_count']],
    [{ type: 'hashtags', topic: 'x', hashtag_count: 1.5 }, ['hashtag_count']],
    [{ type: 'hashtags', topic: 'x', hashtag_count: '5' }, ['hashtag_count']],
    [
      { type: 'repurpose', topic: 5, platforms: ['myspace'], tone: 1, language: 'xx', hashtag_count: 99 },
      ['topic', 'platforms[0]', 'tone', 'language', 'hashtag_count', 'text'],
    ],
  ])('answers 400 with every error for %j', async (body, fields) => {
    const answer = await generate(body);
    expect([answer.status, answer.body.error]).toEqual([400, 'Validation failed']);
    expect(fieldsOf(answer.body)).toEqual(fields);
  });

  test.each<Json>([
    { type: 'caption', topic: 'é'.repeat(500) },
    { type: 'improve', text: '😀'.repeat(3000) },
    { type: 'caption', topic: 'x', platforms: ['x', 'youtube', 'facebook', 'linkedin', 'tiktok'] },
  ])('accepts values at their limits', async body => {
    expect((await generate(body)).status).toBe(200);
  });

  test('does not count an invalid request', async () => {
    const before = await used();
    await generate({ type: 'caption' });
    expect(await used()).toBe(before);
  });

  test('calls the provider once for five platforms', async () => {
    const briefs: Brief[] = [];
    write = (brief, ...rest) => {
      briefs.push(brief);
      return offlineWriter.write(brief, ...rest);
    };
    const platforms = ['x', 'youtube', 'facebook', 'linkedin', 'tiktok'];
    expect(Object.keys((await caption({ platforms })).body.result)).toEqual(platforms);
    expect(briefs).toHaveLength(1);
  });
});

describe('the monthly limit', () => {
  test('is the limit of the plan; a request over it answers 429 with the reset time', async () => {
    await freshMonth('starter');
    for (let n = 0; n < 50; n += 1) expect((await caption()).status).toBe(200);
    const { status, body, headers } = await caption();
    const now = new Date(api.clock.now);
    const resets = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    expect([status, body]).toEqual([
      429,
      {
        error: expect.stringContaining('50'),
        code: 'AI_LIMIT',
        limit: 50,
        used: 50,
        resets_at: new Date(resets).toISOString(),
      },
    ]);
    expect(Number(headers['retry-after'])).toBe(Math.ceil((resets - api.clock.now) / 1000));
    api.clock.now = resets;
    expect((await caption()).status).toBe(200);
  });

  test('is exact under 100 concurrent requests with failures in between', async () => {
    await freshMonth('starter');
    let calls = 0;
    write = async (...args) => {
      calls += 1;
      await new Promise(resolve => setTimeout(resolve, calls % 5));
      if (calls % 3 === 0) throw unavailable('it is down');
      return offlineWriter.write(...args);
    };
    // In two rounds, to stay below the rate limit of the key.
    const outcomes: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => caption()));
      outcomes.push(...answers.map(({ status }) => status));
      api.clock.now += 60_000;
    }
    const count = (status: number) => outcomes.filter(each => each === status).length;
    expect(count(200) + count(502) + count(429)).toBe(100);
    expect(count(200)).toBeLessThanOrEqual(50);
    expect(await used()).toBe(count(200));
  });

  test('does not count a request that the provider or the service failed', async () => {
    await freshMonth('enterprise');
    write = () => Promise.reject(unavailable('it is down'));
    const { status, body } = await caption();
    expect([status, body]).toMatchObject([502, { error: expect.any(String), code: 'AI_UNAVAILABLE' }]);
    write = () => Promise.reject(new Error('a bug'));
    expect((await caption()).status).toBe(502);
    expect(await used()).toBe(0);
  });

  test('is not used up by a function that crashed', async () => {
    await freshMonth('enterprise');
    const called = Promise.withResolvers<null>();
    write = () => {
      called.resolve(null);
      return new Promise(() => undefined);
    };
    void caption();
    await called.promise;
    expect(await used()).toBe(1);
    api.clock.now += RESERVED_MS;
    expect(await used()).toBe(0);
  });
});

describe('unusable output', () => {
  test('is retried once with feedback and then answered with 502', async () => {
    await freshMonth('enterprise');
    const feedbacks: (string | null)[] = [];
    write = (_, feedback) => {
      feedbacks.push(feedback);
      return Promise.reject(unusable('it was not JSON'));
    };
    expect((await caption()).status).toBe(502);
    expect(feedbacks).toEqual([null, 'it was not JSON']);
    expect(await used()).toBe(0);
  });
});

describe('an Idempotency-Key', () => {
  test('counts and calls the provider once however often the request is repeated', async () => {
    await freshMonth('enterprise');
    let calls = 0;
    write = (...args) => {
      calls += 1;
      return offlineWriter.write(...args);
    };
    const key = { 'idempotency-key': 'one' };
    const first = await caption({}, key);
    const second = await caption({}, key);
    expect(second.body).toEqual(first.body);
    expect([second.headers['idempotent-replayed'], second.headers['x-ai-provider']]).toEqual([
      'true',
      'offline',
    ]);
    expect([calls, await used()]).toEqual([1, 1]);
  });

  test('of a failed request can be used again', async () => {
    await freshMonth('enterprise');
    const key = { 'idempotency-key': 'two' };
    write = () => Promise.reject(unavailable('it is down'));
    expect((await caption({}, key)).status).toBe(502);
    write = offlineWriter.write;
    expect((await caption({}, key)).status).toBe(200);
    expect(await used()).toBe(1);
  });
});
