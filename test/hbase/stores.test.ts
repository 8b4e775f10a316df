import { beforeAll, describe, inject, it } from 'vitest';
import { openHBaseStore } from '../../packages/hbase/index.js';
import { testStore } from '../../webtable/store-suite/index.js';
import { hbaseTables, openEmptyTables } from '../support/hbase/hbase-tables.js';
import { runs } from '../support/runs.js';
import { checkHistories } from '../support/stores/histories.js';

const SEED = 20_240_601;
const hbase = inject('hbase');

describe.skipIf(!hbase)('on a real HBase', () => {
  let url: string;
  beforeAll(async () => {
    url = await hbaseTables(hbase!);
  });

  testStore('HBaseStore', { describe, it }, () => openEmptyTables(url));

  it('answers any history as MemoryStore does', async () => {
    await checkHistories({ open: () => openEmptyTables(url), seed: SEED, runs: runs(12, 100) });
  });

  it('answers any history as MemoryStore does if several processes write and read in turn', async () => {
    await checkHistories({
      open: () => openEmptyTables(url),
      openOther: () => openHBaseStore(url),
      seed: SEED,
      runs: runs(12, 100),
    });
  });
});
