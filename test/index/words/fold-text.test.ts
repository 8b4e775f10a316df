import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createWords, foldText, type Words } from '../../../packages/index/index.js';

let words: Words;
beforeAll(async () => {
  words = await createWords();
});

test.each([
  ['Le RÉSUMÉ', 'le resume'],
  ['re\u0301sume\u0301', 'resume'],
  ['ｇｏ ＰＨ！', 'go ph '],
  ['go\u00adphers', 'gophers'],
  ['oﬃce', 'office'],
  ['كِتَابٌ', 'كتاب'],
  ['don’t', 'dont'],
  ['ｶﾞﾗｽ', 'ガラス'],
  ['\u1112\u1161\u11ab\u1100\u116e\u11a8', '한국'],
  ['नमस्ते', 'नमस्ते'],
  ['Straße, İ', 'strasse, i'],
  ['a\ud800b', 'a b'],
])('the letters of %j are %j', (text, expected) => expect(foldText(text).text).toBe(expected));

test('every unit is mapped to its original letter', () => {
  const { text, positionOf } = foldText('xÉ \u00adoﬃce');
  expect(Array.from(text, (_, i) => positionOf(i))).toEqual([0, 1, 2, 4, 5, 5, 5, 6, 7]);
  expect(positionOf(text.length)).toBe(8);
});

test('each term is found at its word, in any script', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'É',
      'ﬃ',
      'ß',
      'e\u0301',
      '\u00ad',
      "'",
      '’',
      ' ',
      '.',
      '3',
      '+',
      'Ｇ',
      '中',
      '漢',
      'か',
      'ｶﾞ',
      '한',
      '\u1112\u1161',
    ],
    ...['ك', '\u0650', 'न', '\u0940', 'й', 'ё', 'ς', 'ไทย', '\u{20bb7}', '\ufe0f', '\n', 'İ', '١'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const folded = foldText(text);
      for (const { term, start } of words.split(text)) {
        let isThere = false;
        for (let at = folded.text.indexOf(term); at >= 0 && !isThere; at = folded.text.indexOf(term, at + 1))
          isThere = start - folded.positionOf(at) >= 0 && start - folded.positionOf(at) <= 2;
        expect(isThere, `${JSON.stringify(text)} ${term}`).toBe(true);
      }
    }),
    { seed: 11, numRuns: 3000 },
  );
});
