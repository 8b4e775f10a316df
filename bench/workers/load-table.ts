// Makes the table of a plan in a directory, and compacts it, so that every run starts from the same state.
import { join } from 'node:path';
import { Level } from 'level';
import { WebTable, openLevelStore, writeIndexed, type IndexedChange } from '../../webtable/index.js';
import { LOAD_TIME, tableRows, type TablePlan } from '../lib/cycle-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const start = performance.now();
const { directory, plan } = givenArgument<{ directory: string; plan: TablePlan }>();

const table = await WebTable.open(await openLevelStore(directory));
const clock = { now: LOAD_TIME, lockExpiry: 604_800_000 };
let chunk: IndexedChange[] = [];
for (const change of tableRows(plan)) {
  chunk.push({ before: undefined, change });
  if (chunk.length < CHUNK) continue;
  await writeIndexed(table, chunk, clock);
  chunk = [];
}
await writeIndexed(table, chunk, clock);
await table.close();

// The types of level leave out what databases in browsers have not.
const database = new Level(join(directory, 'hot')) as Level & {
  compactRange(start: string, end: string): Promise<void>;
};
await database.open({ createIfMissing: false });
await database.compactRange('', '\u{10ffff}');
await database.close();
reply({ seconds: (performance.now() - start) / 1000 });
