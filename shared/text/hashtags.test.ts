import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldHashtag, hashtagsOf } from './hashtags.ts';

describe('hashtags of a text', () => {
  test.each([
    ['#one and #two,#three', ['#one', '#two', '#three']],
    ['Grüße aus #Köln #東京 #мир #कॉफ़ी #قهوة', ['#Köln', '#東京', '#мир', '#कॉफ़ी', '#قهوة']],
    ['full width ＃寿司', ['＃寿司']],
    ['#2024 is a number, #2024goals is none', ['#2024goals']],
    ['https://example.com/a#part and https://example.com/#top', []],
    ['C# and a&#39;b and ##x', []],
    ['(#a) "#b" #c_d', ['#a', '#b', '#c_d']],
    ['🎉#party', ['#party']],
    ['# no', []],
  ])('%s', (text, hashtags) => {
    expect(hashtagsOf(text)).toEqual(hashtags);
  });

  test('are equal in every spelling', () => {
    for (const spelling of ['#Café', '＃CAFÉ', '#cafe\u0301', '#ＣＡＦＥ\u0301', 'ca\u200bfé'])
      expect(foldHashtag(spelling)).toBe('café');
  });

  test('are found without errors in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        for (const hashtag of hashtagsOf(text)) expect(text).toContain(hashtag);
      }),
    );
  });
});
