import { describe, expect, test } from 'vitest';
import { createSchema, openDatabase, type Database, type IndexQuery } from '../../../../packages/index/index.js';
import { createFinder } from '../../../../packages/index/sqlite/reader/find-best.js';

const MANY = 40_000;
const WEIGHTS = { title: 8, headings: 4, anchors: 3, url: 2, text: 1, rank: 0.5, language: 2 };

/** So many pages that not all matches are scored: `common` is in three of four pages, `half` in two of four. */
async function manyPages(rankOf: (id: number) => number): Promise<Database> {
  const database = await openDatabase(':memory:', { readOnly: false });
  createSchema(database);
  const doc = database.prepare(`insert into docs values(?, ?, '', ?, 0, 0, ?, '', '')`);
  const text = database.prepare(
    `insert into fts(rowid, title, headings, anchors, url, text) values(?, ?, '', '', '', ?)`,
  );
  database.exec('begin');
  for (let id = 1; id <= MANY * 1.25; id++) {
    doc.run(id, `com.example:https/${String(id).padStart(6, '0')}`, id % 2 === 0 ? 'en' : 'zh', rankOf(id));
    const words = `${id % 5 === 0 ? 'other' : 'common'} ${'filler '.repeat(id % 7)}${id % 3 === 0 ? 'common third' : ''}`;
    text.run(id, id % 11 === 0 ? 'common' : 'page', words);
  }
  database.exec('commit');
  return database;
}

const query = (more: Partial<IndexQuery> = {}): IndexQuery => ({
  must: [{ phrases: [['common']] }],
  mustNot: [],
  weights: WEIGHTS,
  limit: 100,
  ...more,
});

/** All matches scored only by SQL. */
function plain(database: Database, where = ''): string[] {
  const documents = MANY * 1.25;
  const score = `${WEIGHTS.rank} * ln(1 + ${documents} * d.rank) - bm25(fts, 8, 4, 3, 2, 1)`;
  return database
    .prepare(
      `select d.key from fts join docs d on d.id = fts.rowid where fts match ? ${where} order by ${score} desc, d.key limit 100`,
    )
    .all('"common"')
    .map(({ key }) => String(key));
}

describe('of very many matches', () => {
  test('the best are found without scoring all, as if all had been scored', async () => {
    const database = await manyPages((id) => 1 / (1 + ((id * 7919) % (MANY * 1.25))) / 12);
    const found = createFinder(database, () => 0)(query());
    expect(found.isApproximate).toBe(false);
    expect(found.total).toBeGreaterThan(30_000);
    expect(found.hits.map(({ key }) => key)).toEqual(plain(database));
    const english = createFinder(database, () => 0)(query({ languages: ['en'] }));
    expect(english.hits.map(({ key }) => key)).toEqual(plain(database, `and d.language = 'en'`));
    database.close();
  });

  test('without ranks, some are scored, including those with the word in the title, and the result says so', async () => {
    const database = await manyPages(() => 0);
    const find = createFinder(database, () => 0);
    const rare = { must: [{ phrases: [['common'], ['third']] }, { phrases: [['absent']] }] };
    expect(find(query({ ...rare, literal: [{ phrases: [['common']] }] })).hits).toEqual([]);
    expect(find(query({ ...rare, literal: [{ phrases: [['third']] }] })).hits).toHaveLength(100);
    const found = find(query());
    expect(found.isApproximate).toBe(true);
    expect(found.hits).toHaveLength(100);
    expect(found.hits.every(({ key }) => Number(key.slice(-6)) % 11 === 0)).toBe(true);
    expect(find(query())).toEqual(found);
    database.close();
  });
});

describe('several words of a query', () => {
  /** Takes texts and titles of pages by key; returns the keys of the found pages, the best first. */
  async function best(
    pages: Record<string, [text: string, title?: string, language?: string]>,
    more: Partial<IndexQuery>,
  ) {
    const database = await openDatabase(':memory:', { readOnly: false });
    createSchema(database);
    const doc = database.prepare(`insert into docs values(?, ?, '', ?, 0, 0, 0, '', '')`);
    const text = database.prepare(`insert into fts(rowid, title, headings, anchors, url, text) values(?,?,'','','',?)`);
    // Other pages, so that the words are rare.
    const all = Object.entries(pages);
    for (let i = 0; i < 30; i++) all.push([`other${i}`, ['no such word at all']]);
    for (const [i, [key, [body, title = '', language = 'en']]] of all.entries()) {
      doc.run(i + 1, key, language);
      text.run(i + 1, title, body);
    }
    const { hits, total, partial } = createFinder(database, () => 0)(query(more));
    database.close();
    expect(total + partial).toBe(hits.length);
    return hits.map(({ key }) => key);
  }
  const must = (...terms: string[]) => ({ must: terms.map((term) => ({ phrases: [[term]] })), together: [terms] });
  const filler = 'filler '.repeat(40);

  test('a page with the words near each other comes first', async () => {
    const pages = { a: [`red ${filler} fox`], b: [`${filler} fox x red`] } as Record<string, [string]>;
    expect(await best(pages, must('red', 'fox'))).toEqual(['b', 'a']);
  });

  test('a page whose title begins with the words comes first', async () => {
    const pages = { a: ['text', 'hunt red fox'], b: ['text', 'red fox hunt'] } as Record<string, [string, string]>;
    expect(await best(pages, must('red', 'fox'))).toEqual(['b', 'a']);
  });

  test('two of three words in a title are found, two of two are not', async () => {
    const pages = { a: ['text', 'red fox'], b: ['red', ''] } as Record<string, [string, string]>;
    expect(await best(pages, must('section', 'red', 'fox'))).toEqual(['a']);
    expect(await best(pages, must('red', 'fox'))).toEqual(['a']);
    expect(await best(pages, { ...must('section', 'red', 'fox'), together: [] })).toEqual([]);
    const without = [{ phrases: [['text']] }];
    expect(await best(pages, { ...must('section', 'red', 'fox'), mustNot: without })).toEqual([]);
  });

  test('a page in a preferred language comes first', async () => {
    const pages = { a: ['red', '', 'ru'], b: ['red', '', 'en'] } as Record<string, [string, string, string]>;
    expect(await best(pages, { must: must('red').must })).toEqual(['a', 'b']);
    expect(await best(pages, { must: must('red').must, preferred: ['en'] })).toEqual(['b', 'a']);
  });
});
