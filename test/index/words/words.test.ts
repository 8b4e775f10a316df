import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWords } from '../../../packages/index/words/create-words.js';
import { MAX_TERM_UTF16_UNITS } from '../../../packages/index/words/fold.js';
import type { Words } from '../../../packages/index/words/words.js';

let words: Words;
let plain: Words;
beforeAll(async () => {
  words = await createWords();
  plain = await createWords({ jieba: false });
});
const termsOf = (text: string, language?: string): string[] => words.split(text, language).map(({ term }) => term);

describe('words of scripts with blanks', () => {
  test.each([
    ['The quick, brown FOX.', ['the', 'quick', 'brown', 'fox']],
    ['apt-get install foo_bar', ['apt', 'get', 'install', 'foo', 'bar']],
    ['C++ and C# and C, g++-12, i++;', ['c++', 'and', 'c#', 'and', 'c', 'g++', '12', 'i++']],
    ['C++11 a+++b #tag ##', ['c++', '11', 'a', 'b', 'tag']],
    ['Linux 2.6.32, pi is 3.14. 10.0.0.1:80', ['linux', '2.6.32', 'pi', 'is', '3.14', '10.0.0.1', '80']],
    ["don't they’ve Bob's l'homme O'Brien", ['dont', 'theyve', 'bob', 'l', 'homme', 'o', 'brien']],
    ['п’ять ёлка Йод стре́сс', ['пять', 'елка', 'йод', 'стресс']],
    ['Straße Ærøskøbing naïve İstanbul ŁÓDŹ', ['strasse', 'aeroskobing', 'naive', 'istanbul', 'lodz']],
    ['Ὀδυσσεύς ΟΔΟΣ', ['οδυσσευσ', 'οδοσ']],
    ['ｆｕｌｌ ﬁne ①', ['full', 'fine', '1']],
    ['con\u00adfig \u200b a\u200db', ['config', 'ab']],
    ['한국어 검색', ['한국어', '검색']],
    ['GPU에서 3월', ['gpu', '에서', '3', '월']],
    ['', []],
    ['--- ... \u0000\u0007 ++ #', []],
  ])('%s', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  test('accents make no difference, however they are written', () => {
    expect(termsOf('cafe\u0301')).toEqual(termsOf('café'));
    expect(termsOf('CAFÉ')).toEqual(['cafe']);
  });
});

describe('words of scripts without blanks', () => {
  test('Chinese is split by jieba, and by Intl.Segmenter without it', () => {
    expect(termsOf('研究生命科学，南京市')).toEqual(['研究', '生命科学', '南京市']);
    expect(
      plain
        .split('中文检索')
        .map(({ term }) => term)
        .join(''),
    ).toBe('中文检索');
    expect(words.name).toMatch(/\/jieba-\d/);
    expect(plain.name).not.toContain('jieba');
  });

  test('Japanese and Thai are split by Intl.Segmenter', () => {
    expect(termsOf('東京都に住む。検索エンジン')).toEqual(
      plain.split('東京都に住む。検索エンジン').map(({ term }) => term),
    );
    expect(termsOf('東京都に住む')).toContain('東京');
    expect(termsOf('ภาษาไทย')).toEqual(['ภาษา', 'ไทย']);
  });

  test.each(['ーー', 'ｰｰ', '中ー文', 'ﾞﾞ', '\u3099', 'かーー'])('kana signs alone are split like kana: %s', (text) => {
    expect(words.split(text)).toEqual(plain.split(text));
    expect(words.split(text)).toEqual(words.split(text, 'ja'));
  });

  test('Han characters alone are Japanese if the language says so', () => {
    expect(termsOf('東京都庁', 'ja-JP')).toEqual(plain.split('東京都庁').map(({ term }) => term));
  });

  test('scripts side by side', () => {
    expect(termsOf('iPhone手机2023年')).toEqual(['iphone', '手机', '2023', '年']);
  });
});

describe('the terms of a text besides its words', () => {
  const lettersOf = (text: string, language?: string, of = words): readonly string[] =>
    of.index(text, language).letters;

  test.each([
    ['the HashMap of hash_map and hashmap', ['hash', 'map']],
    ['TcpListener TcpListener', ['tcp', 'listener']],
    ['XMLHttpRequest', ['xml', 'http', 'request']],
    ['getElementById', ['get', 'element', 'by', 'id']],
    ['an e-mail in UTF-8, well-known at 2024-01-02 and in a1-b2', ['email', 'utf8', 'wellknown']],
    ['Base64Encoder iPhone', ['base64', 'encoder', 'i', 'phone']],
    ['URLs of PDFs by IPv4, McD, NASA and The End', ['mc', 'd']],
    ['aBcDeFgHiJkLmNoPqRsT', []],
  ])('names: %s', (text, names) => {
    expect(words.index(text, 'en')).toEqual({ words: words.split(text, 'en'), names, letters: [] });
  });

  test('for Chinese: the words within long words, and all characters', () => {
    const text = '在清华大学图书馆';
    expect(words.index(text, 'zh').words).toEqual(words.split(text, 'zh'));
    expect(lettersOf(text, 'zh')).toEqual(expect.arrayContaining([...'清华大学图书馆', '清华', '大学', '图书']));
    expect(lettersOf(text, 'zh')).not.toContain('学图');
    expect(lettersOf('中华人民共和国', 'zh')).toEqual(expect.arrayContaining(['人民', '共和国']));
    expect(lettersOf('中华人民共和国', 'zh', plain)).toEqual(expect.arrayContaining(['共和', '和国', '中']));
  });

  test('none exceeds the maximum length, whatever marks a letter has', () => {
    for (const text of [
      `한${'\u0301'.repeat(100_000)}국`,
      `か${'\u3099'.repeat(1000)}な`,
      `ไ${'\u0e49'.repeat(1000)}ท`,
    ]) {
      const lengths = lettersOf(text).map(({ length }) => length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(64);
    }
  });

  test.each([
    ['東京都庁', 'ja', ['東京', '京都', '都庁', '庁']],
    ['학교에서 학교', 'ko', ['학교', '교에', '에서', '서', '교']],
    ['น้ำดี', 'th', ['น้ํา', 'าดี', 'ดี']],
    ['ﾃﾞｰﾀ', 'ja', ['デー', 'ータ', 'タ']],
  ])(
    'for other scripts without blanks, and Korean: all pairs and the last character: %s',
    (text, language, letters) => {
      expect(lettersOf(text, language).map((term) => term.normalize())).toEqual(
        letters.map((term) => term.normalize()),
      );
    },
  );
});

describe('stems', () => {
  test.each([
    ['packages', 'en', 'packag'],
    ['packages', 'en-GB', 'packag'],
    ['packages', 'xx', 'packages'],
    ['packages', undefined, 'packages'],
    ['пакеты', 'ru', 'пакет'],
    ['packages', 'ru', 'packag'],
    ['packages', 'ja', 'packag'],
    ['packages', 'zh-Hant-TW', 'packag'],
    ['packages', 'sr', 'packag'],
    ['packages', 'fr', 'packag'],
    ['пакеты', 'ja', 'пакеты'],
    ['検索', 'ja', '検索'],
    ['hauser', 'de', 'haus'],
    ['instalacion', 'es', 'instal'],
    ['instalaciones', 'es', 'instal'],
    ['c++', 'en', 'c++'],
    ['3.14', 'en', '3.14'],
    ['constructor', 'en', 'constructor'],
  ])('%s in %s is %s', (term, language, stem) => {
    expect(words.stem(term, language)).toBe(stem);
    expect(words.stem(term, language)).toBe(stem);
  });
});

describe('any text', () => {
  const alphabet = [..."aZ09 .-_'’+#\n\t\u0000", ...'éßжйΩ中文研究かなカーไทย한👍𠀀𝒳\u0301\u200d\u00ad\ud83d\udc4d'];
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...alphabet), { maxLength: 60 }).map((parts) => parts.join('')),
  );
  // `\u30fc` and similar ones belong to both kana only by their script extensions.
  const isSplitByContext = (term: string): boolean =>
    /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(term);
  const property = (check: (text: string, of: Words) => void): void =>
    fc.assert(
      fc.property(anyText, (text) => {
        check(text, words);
        check(text, plain);
      }),
      { seed: 11, numRuns: 1500 },
    );

  test('has words in order, within the text, without overlap', () => {
    property((text, of) => {
      let last = 0;
      for (const { term, start, end } of of.split(text)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(term.length).toBeLessThanOrEqual(MAX_TERM_UTF16_UNITS);
        last = end;
      }
    });
  });

  test('has no term that the index would split again', () => {
    property((text, of) => {
      for (const { term } of of.split(text)) {
        expect(term).toMatch(/^[\p{L}\p{M}\p{N}.+#]+$/u);
        expect(() => encodeURIComponent(term)).not.toThrow();
        expect(/[\x00-\x7f]/.test(term) ? term : '').toBe(/[\x00-\x7f]/.test(term) ? term.toLowerCase() : '');
      }
    });
  });

  test('has every letter or digit in a word', () => {
    property((text, of) => {
      let rest = text;
      for (const { start, end } of of.split(text).reverse())
        rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
      expect(rest.replace(/[’']s/gi, '')).not.toMatch(/[a-z0-9中文研究ж]/i);
    });
  });

  test('has no additional term that the index would split again, and each once', () => {
    property((text, of) => {
      const { words: found, names, letters } = of.index(text);
      expect(found).toEqual(of.split(text));
      for (const term of [...names, ...letters]) expect(term).toMatch(/^[\p{L}\p{M}\p{N}.+#]+$/u);
      expect(new Set(letters).size).toBe(letters.length);
    });
  });

  test('gives the same term for a word alone', () => {
    property((text, of) => {
      for (const { term, start, end } of of.split(text)) {
        if (isSplitByContext(term) || end - start > MAX_TERM_UTF16_UNITS) continue;
        const again = of.split(text.slice(start, end));
        expect(again.map((each) => each.term)).toEqual([term]);
      }
    });
  });
});

test.each([
  ['a', 1],
  ['中', undefined],
  ['ไ', undefined],
  ['𠀀', undefined],
  ["a'", undefined],
  ['1.', 1],
  ['\u0301', undefined],
])('of a megabyte of %s is split completely, and at once', (piece, count) => {
  const text = piece.repeat(2 ** 20 / piece.length);
  const found = words.split(text);
  if (count !== undefined) expect(found.length).toBe(count);
  expect(found.at(-1)?.end ?? 0).toBeGreaterThanOrEqual(piece === '\u0301' ? 0 : text.length - 2);
});
