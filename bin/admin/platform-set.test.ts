import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { parseAppFields } from './platform-set.ts';

const FIELDS = {
  kind: v.optional(v.picklist(['self_serve', 'community']), 'self_serve'),
  note: v.optional(v.string()),
};

describe("the fields of a platform's app", () => {
  test.each([
    [[], { kind: 'self_serve' }],
    [['kind=community'], { kind: 'community' }],
    [['kind=community', 'note=a=b c'], { kind: 'community', note: 'a=b c' }],
  ])('are those that the connector names: %j', (given, expected) => {
    expect(parseAppFields(FIELDS, given, {})).toEqual(expected);
  });

  test('keep what is stored of the app unless they are given', () => {
    const stored = { client_id: 'id', client_secret: 'secret', kind: 'community', note: 'old' };
    expect(parseAppFields(FIELDS, ['note=new'], stored)).toEqual({ kind: 'community', note: 'new' });
  });

  test.each([
    [FIELDS, 'colour=red', 'Unknown field colour. The fields are: kind, note'],
    [FIELDS, 'toString=x', 'Unknown field toString. The fields are: kind, note'],
    [{}, 'kind=community', 'Unknown field kind. Apps of this platform have no fields'],
    [FIELDS, 'kind', '--field must be NAME=VALUE; it is kind'],
    [FIELDS, 'kind=other', /^--field kind: .*community/],
  ])('are refused with a message otherwise: %# %s', (known, given, message) => {
    expect(() => parseAppFields(known, [given], {})).toThrow(message);
  });
});
