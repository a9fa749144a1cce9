import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { DAY, hasOffset, MINUTE, parseInstant, toIso } from './instant.ts';
import { parseInZone } from './zone.ts';

const read = (text: string) => {
  const at = parseInstant(text);
  return at === null ? null : toIso(at);
};

function temporalReading(text: string): number | null {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return null;
  }
}

describe('a date-time', () => {
  test.each([
    ['2026-11-01T09:00:00Z', '2026-11-01T09:00:00.000Z'],
    ['2026-11-01T09:00:00.123Z', '2026-11-01T09:00:00.123Z'],
    ['2026-11-01T09:00:00+02:00', '2026-11-01T07:00:00.000Z'],
    ['2026-11-01T09:00:00-0530', '2026-11-01T14:30:00.000Z'],
    ['2026-11-01T09:00+02', '2026-11-01T07:00:00.000Z'],
    ['2026-11-01T09:00', '2026-11-01T09:00:00.000Z'],
    [' 2026-11-01 09:00:00 ', '2026-11-01T09:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => expect(read(text)).toBe(instant));

  test.each([
    '',
    'tomorrow',
    '2026-11-01',
    '09:00',
    '1793523600',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-11-01T25:00:00Z',
    '2026-11-01T09:00:00 Europe/Berlin',
    '1.11.2026 09:00',
    '2026-11-01T09:00:00-08:00[America/Los_Angeles]',
    '2026-11-01T09:00:00[America/New_York]',
    '2026-11-01T09:00:00Z[UTC]',
    '2026-11-01T09:00:00[u-ca=hebrew]',
    '2026-11-01T09:00:00+01:00:30',
    '2026-11-01T09:00:00+25:00',
    '2026-11-01T09:00:00 +02:00',
    '2026-11-01T09:00:00Z+02:00',
  ])('is not %j', text => expect(read(text)).toBeNull());

  test('is read with every offset', () => {
    const spellings = fc.constantFrom(
      (hours: string, minutes: string) => `${hours}:${minutes}`,
      (hours: string, minutes: string) => hours + minutes,
    );
    const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 * DAY }), minutes, spellings, (at, offset, spell) => {
        const size = Math.abs(offset);
        const digits = (value: number) => String(value).padStart(2, '0');
        const sign = offset < 0 ? '-' : '+';
        const local = toIso(at + offset * MINUTE).replace('Z', '');
        const text = local + sign + spell(digits(Math.floor(size / 60)), digits(size % 60));
        expect([text, parseInstant(text), parseInZone(text, 'Asia/Tokyo'), hasOffset(text)]).toEqual([
          text,
          at,
          at,
          true,
        ]);
      }),
    );
  });

  test('is read as Temporal reads it, days and times that do not exist included', () => {
    const number = (digits: number, max: number) =>
      fc.integer({ min: 0, max }).map(value => String(value).padStart(digits, '0'));
    const dates = fc.tuple(number(4, 9999), number(2, 13), number(2, 32)).map(parts => parts.join('-'));
    // Temporal takes a leap second for the second before it, which is not what was asked.
    const times = fc
      .tuple(number(2, 24), number(2, 60), number(2, 59), fc.stringMatching(/^\d{1,9}$/))
      .map(([hour, minute, second, fraction]) => `${hour}:${minute}:${second}.${fraction}`);
    const offsets = fc.constantFrom('Z', 'z', '+02', '-0930', '+14:00', '+24:00', '-00:60');
    fc.assert(
      fc.property(dates, fc.constantFrom('T', 't', ' '), times, offsets, (date, between, time, offset) => {
        const text = date + between + time + offset;
        expect([text, parseInstant(text)]).toEqual([text, temporalReading(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  test('is refused where anything else follows it', () => {
    const offsets = fc.constantFrom('', 'Z', '+02:00', '-0530');
    const rest = fc.stringMatching(/^(?:\[!?[A-Za-z/_=+-]+\]|:\d\d| ?[a-y]+)$/);
    fc.assert(
      fc.property(offsets, rest, (offset, end) => {
        const text = `2026-11-01T09:00:00${offset}${end}`;
        expect([text, parseInstant(text)]).toEqual([text, null]);
      }),
    );
  });

  test('without an offset is UTC in every time zone of the process', () => {
    const module = new URL('./instant.ts', import.meta.url).href;
    const script = `import { parseInstant } from '${module}'; console.log(parseInstant('2026-11-01T09:00:00'))`;
    for (const TZ of ['America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'UTC']) {
      const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, TZ, NODE_OPTIONS: '' },
      });
      expect([TZ, Number(printed)]).toEqual([TZ, Date.UTC(2026, 10, 1, 9)]);
    }
  });
});
