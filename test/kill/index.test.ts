import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { dumpIndex } from '../support/index/dump-index.js';
import { runs } from '../support/runs.js';
import { killIndex, KILLED_TABLES, makeKilledTables, type KilledIndex } from '../support/index/killed-index.js';

const KILLS = runs(2, 12);

const sqlite: KilledIndex = { settings: () => ({}), dump: (table) => dumpIndex(join(table, 'index')) };

describe(`index killed ${KILLS} times ends with the same index`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-index-kill-'));
    await makeKilledTables(folder, sqlite);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(KILLED_TABLES)('%s', (table) => killIndex(folder, table, KILLS, sqlite));
});
