import { describe, expect, test } from '@jest/globals';
import { isCountry, isLanguage, meantCountry, meantLanguage } from './codes.ts';

describe('countries', () => {
  test.each(['DE', 'at', 'GB', 'TW'])('accepts %s', code => expect(isCountry(code)).toBe(true));

  test.each([
    ['UK', 'GB'],
    ['el', 'GR'],
    ['USA', 'US'],
    ['XX', null],
    ['EU', null],
    ['1A', null],
  ])('does not accept %s, which may mean %s', (code, meant) => {
    expect([isCountry(code), meantCountry(code)]).toEqual([false, meant]);
  });
});

describe('languages', () => {
  test.each(['en', 'de-CH', 'zh-Hant-TW', 'pt-BR', 'es-419', 'EN', 'haw', 'de-x-uk'])('accepts %s', tag =>
    expect(isLanguage(tag)).toBe(true),
  );

  test.each([
    ['english', 'en'],
    ['German', 'de'],
    ['en_US', 'en-US'],
    ['en-UK', 'en-GB'],
    ['eng', 'en'],
    ['iw', 'he'],
    ['xx', null],
    ['en-XX', null],
    ['???', null],
    ['english language', null],
  ])('does not accept %s, which may mean %s', (tag, meant) => {
    expect([isLanguage(tag), meantLanguage(tag)]).toEqual([false, meant]);
  });
});
