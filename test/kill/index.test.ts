import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { dumpIndex } from '../support/index/dump-index.js';
import { runs } from '../support/runs.js';
import { killIndex, KILLED_TABLES, makeKilledTables, type KilledIndex } from '../support/index/killed-index.js';

const KILLS = runs(2, 12);

const sqlite: KilledIndex = { settings: () => ({}), dump: (table) => dumpIndex(join(table, 'index')) };
const jsonLines: KilledIndex = {
  settings: () => ({ 'index.writer': 'jsonl' }),
  async dump(table) {
    const files = await readdir(join(table, 'index'));
    const texts = files.sort().map((name) => readFile(join(table, 'index', name), 'utf8'));
    return documentsOf(await Promise.all(texts));
  },
};

/** What the lines of all files come to: those of `about.json` are left out. */
function documentsOf([, ...texts]: readonly string[]): unknown[] {
  const [documents = '', changes = ''] = texts.reverse();
  const found = new Map<string, object>();
  const lines = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, never>);
  for (const line of lines(documents)) found.set(line['key']!, line);
  type Change = { put?: { key: string }; touch?: { key: string }; remove?: string };
  for (const { put, touch, remove } of lines(changes) as Change[]) {
    if (put) found.set(put.key, put);
    else if (touch) found.set(touch.key, { ...found.get(touch.key), ...touch });
    else found.delete(remove!);
  }
  return [...found.keys()].sort().map((key) => found.get(key));
}

describe.each([
  ['the embedded index', sqlite],
  ['JSON Lines', jsonLines],
])(`index killed ${KILLS} times ends in the same: %s`, (_name, index) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-index-kill-'));
    await makeKilledTables(folder, index);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(KILLED_TABLES)('%s', (table) => killIndex(folder, table, KILLS, index));
});
