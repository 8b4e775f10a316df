import { expect, test } from 'vitest';
import { languagesOfText } from '../../../packages/search/query/query-languages.js';

const ALL = ['en', 'zh', 'ja', 'ru', 'ko', ''];

test.each([
  ['moving objects', ['en']],
  ['перемещение', ['ru']],
  ['перемещение LibreOffice', ['ru']],
  ['移动', ['zh', 'ja', 'ko']],
  ['移動する', ['ja']],
  ['한국어', ['ko']],
  ['12345', []],
  ['', []],
])('%s may be written in %j', (text, languages) => {
  expect(languagesOfText(text, ALL)).toEqual(languages);
});

test('for an index of one language, none is preferred', () => {
  expect(languagesOfText('moving objects', ['en'])).toEqual([]);
});
