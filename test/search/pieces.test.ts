import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWords, openIndexReader, openSqliteWriter, type Words } from '../../packages/index/index.js';
import { askIndex, parseQuery, weightsOf } from '../../packages/search/index.js';
import { loadSettings } from '../../config/index.js';
import { rowKeyOf } from '../../webtable/index.js';
import { madeDocument } from '../support/index/made-index.js';
import { piecesOf, SCRIPTS, textOf } from '../support/index/pieces.js';
import { suiteFolder, testFolder } from '../support/files/temp-folder.js';

const { settings } = loadSettings({});
const root = suiteFolder();
let splitters: Readonly<Record<string, Words>>;
beforeAll(async () => {
  splitters = { jieba: await createWords(), 'Intl.Segmenter': await createWords({ jieba: false }) };
});

/** Indexes numbered texts, and returns a function that finds the numbers of those that match a query. */
async function indexOf(
  folder: string,
  words: Words,
  texts: readonly { readonly language: string; readonly text: string }[],
) {
  const writer = await openSqliteWriter(folder, 'table', words);
  const urlOf = (n: number): string => `https://example.com/${n}`;
  await writer.apply(texts.map((each, n) => ({ type: 'put', document: madeDocument({ ...each, url: urlOf(n) }) })));
  await writer.markWhole();
  await writer.close();
  const reader = openIndexReader({ folder, words: words.name, entry: undefined });
  const info = await reader.info();
  const numbers = new Map(texts.map((_, n) => [rowKeyOf(urlOf(n)), n]));
  return {
    async find(query: string, limit = texts.length): Promise<number[]> {
      const asked = { reader, words, info, weights: weightsOf(settings), commonWords: 1, limit };
      const { found } = await askIndex(parseQuery(query), asked);
      return found.hits.map(({ key }) => numbers.get(key)!);
    },
    close: () => reader.close(),
  };
}

describe.each(['jieba', 'Intl.Segmenter'])('with Chinese split by %s', (name) => {
  test('a page is found by every part of its text', { timeout: 120_000 }, async () => {
    const texts = SCRIPTS.flatMap((language) =>
      fc.sample(textOf(language), { seed: 34, numRuns: 8 }).map((text) => ({ language, text })),
    );
    const index = await indexOf(testFolder(), splitters[name]!, texts);
    const missed: string[] = [];
    for (const [n, { language, text }] of texts.entries()) {
      const pieces = [...piecesOf(language, text, language === 'en' ? 1 : 2, 6), ...piecesOf(language, text, 1, 1)];
      for (const piece of fc.sample(fc.constantFrom(...pieces), { seed: n, numRuns: 12 }))
        if (!(await index.find(piece)).includes(n)) missed.push(`${piece} in ${text}`);
    }
    await index.close();
    expect(missed).toEqual([]);
  });
});

describe('the literal text of a page is found', () => {
  const pages = [
    ['zh', '中国农业发展银行今天发布公告，清华大学图书馆开放。'],
    ['zh', '中华人民共和国成立了。'],
    ['ja', '東京都庁の展望台へ行きました。'],
    ['ko', '학교에서 공부하는 학생들은 GPU에서 갑니다.'],
    [
      'en',
      'Use std::HashMap, hash_set, TcpListener or XMLHttpRequest; call getElementById and utf8_decode. URLs here.',
    ],
    ['th', 'กรุงเทพมหานครสวยงาม'],
  ].map(([language = '', text = '']) => ({ language, text }));
  let index: Awaited<ReturnType<typeof indexOf>>;
  beforeAll(async () => {
    index = await indexOf(root, splitters['jieba']!, pages);
    return () => index.close();
  });

  test.each([
    ['大学', [0]],
    ['清华', [0]],
    ['农业', [0]],
    ['学图', [0]],
    ['"大学图书"', [0]],
    ['人民', [1]],
    ['共和国', [1]],
    ['民', [1]],
    ['東京都', [2]],
    ['京都', [2]],
    ['都', [2]],
    ['庁', [2]],
    ['학교', [3]],
    ['학생', [3]],
    ['서', [3]],
    ['gpu', [3]],
    ['มหานคร', [5]],
    ['hash map', [4]],
    ['HashMap', [4]],
    ['hashmap', [4]],
    ['"hash map"', [4]],
    ['tcp listener', [4]],
    ['xml http request', [4]],
    ['get element by id', [4]],
    ['utf8 decode', [4]],
    ['utf8_decode', [4]],
    ['"use std HashMap hash_set tcplistener"', [4]],
    ['大京', []],
    ['学校', []],
    ['교는', []],
  ])('%s', async (query, found) => {
    expect(await index.find(query)).toEqual(found);
  });
});

test('a whole word scores higher than the same letters across words; a search for a compound name ranks the name first', async () => {
  const index = await indexOf(testFolder(), splitters['jieba']!, [
    { language: 'ja', text: '東京都に住む人。' },
    { language: 'ja', text: '京都に住む人です。' },
    { language: 'en', text: 'A hash and a map of it, and the map of a hash.' },
    { language: 'en', text: 'A HashMap and a list of it, and the end of a list.' },
  ]);
  expect(await index.find('京都')).toEqual([1, 0]);
  expect((await index.find('HashMap'))[0]).toBe(3);
  expect((await index.find('hash map')).sort()).toEqual([2, 3]);
  await index.close();
});

test.each([
  [
    'ja',
    '更をコミット',
    'ここでは変更をコミットする前にもう一度すべてのファイルを確認してください。',
    'コミット、を、更',
  ],
  ['zh', '数据库系统', '学生在图书馆学习怎样管理一个大型的数据库系统，然后参加考试。', '系统，数据库'],
])(
  'a page with the typed text comes before pages with its words in several places: %s',
  async (language, query, page, other) => {
    const others = Array.from({ length: 12 }, (_, n) => ({ language, text: `${other}。${n}` }));
    const index = await indexOf(testFolder(), splitters['jieba']!, [...others, { language, text: page }]);
    expect((await index.find(query, 10))[0]).toBe(others.length);
    await index.close();
  },
);

test('pages with the words come before pages that only have the same letters', async () => {
  const index = await indexOf(testFolder(), splitters['jieba']!, [
    { language: 'ja', text: '東京都庁、東京都庁、東京都庁' },
    { language: 'ja', text: 'ここは東京都に近いところで、いろいろな人がたくさん住んでいるまちです。' },
  ]);
  expect(await index.find('東京都')).toEqual([1, 0]);
  await index.close();
});
