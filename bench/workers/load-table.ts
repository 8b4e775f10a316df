// Makes the table of a plan in a directory, and compacts it, so that every run starts from the same state.
import { join } from 'node:path';
import { Level } from 'level';
import { chunked, openTables, openLevelStore, type PageChange } from '../../webtable/index.js';
import { LOAD_TIME, tableRows, type TablePlan } from '../lib/cycle-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const start = performance.now();
const { directory, plan } = givenArgument<{ directory: string; plan: TablePlan }>();

const tables = await openTables(await openLevelStore(directory));
const load = (changes: readonly PageChange[]): Promise<void> =>
  tables.changeRows(
    changes.map(({ key }) => key),
    [],
    LOAD_TIME,
    () => changes,
  );
for await (const chunk of chunked(tableRows(plan), CHUNK)) await load(chunk);
await tables.close();

// The types of level lack methods that databases in browsers do not have.
const database = new Level(join(directory, 'hot')) as Level & {
  compactRange(start: string, end: string): Promise<void>;
};
await database.open({ createIfMissing: false });
await database.compactRange('', '\u{10ffff}');
await database.close();
reply({ seconds: (performance.now() - start) / 1000 });
