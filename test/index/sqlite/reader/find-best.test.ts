import { describe, expect, test } from 'vitest';
import { createSchema, openDatabase, type Database, type IndexQuery } from '../../../../packages/index/index.js';
import { createFinder } from '../../../../packages/index/sqlite/reader/find-best.js';

const MANY = 40_000;
const WEIGHTS = { title: 8, headings: 4, anchors: 3, url: 2, text: 1, rank: 0.5 };

/** So many pages that not all matches are scored: `common` is in three of four, `half` in two of four. */
async function manyPages(rankOf: (id: number) => number): Promise<Database> {
  const database = await openDatabase(':memory:', { readOnly: false });
  createSchema(database);
  const doc = database.prepare(`insert into docs values(?, ?, ?, 0, 0, ?, '', '')`);
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

/** All matches scored by SQL alone. */
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
  test('the best are found without scoring all, as if all were scored', async () => {
    const database = await manyPages((id) => 1 / (1 + ((id * 7919) % (MANY * 1.25))) / 12);
    const found = createFinder(database, () => 0)(query());
    expect(found.isApproximate).toBe(false);
    expect(found.total).toBeGreaterThan(30_000);
    expect(found.hits.map(({ key }) => key)).toEqual(plain(database));
    const english = createFinder(database, () => 0)(query({ languages: ['en'] }));
    expect(english.hits.map(({ key }) => key)).toEqual(plain(database, `and d.language = 'en'`));
    database.close();
  });

  test('without ranks some are scored, those with the word in the title among them, and it is said', async () => {
    const database = await manyPages(() => 0);
    const find = createFinder(database, () => 0);
    const found = find(query());
    expect(found.isApproximate).toBe(true);
    expect(found.hits).toHaveLength(100);
    expect(found.hits.every(({ key }) => Number(key.slice(-6)) % 11 === 0)).toBe(true);
    expect(find(query())).toEqual(found);
    database.close();
  });
});
