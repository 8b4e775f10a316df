// Fills a new table on HBase with the rows of a plan, by batched puts: the rows, then their index entries.
import { createTable } from '../../packages/webcrawl/internal.js';
import { openHBaseStore } from '../../packages/hbase/index.js';
import { chunked, openTables, type PageChange } from '../../webtable/index.js';
import { LOAD_TIME, tableRows, type TablePlan } from '../lib/cycle-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const start = performance.now();
const { url, plan } = givenArgument<{ url: string; plan: TablePlan }>();

await createTable({ table: url });
const tables = await openTables(await openHBaseStore(url));
async function load(changes: readonly PageChange[]): Promise<void> {
  await tables.pages.write(changes);
  const rows = changes.map(({ key, set: { dueAt = 0, score = 0 } = {} }) => ({ key, dueAt, score }));
  await tables.frontier.enterMissing(rows, LOAD_TIME);
}
for await (const chunk of chunked(tableRows(plan), CHUNK)) await load(chunk);
await tables.close();
reply({ seconds: (performance.now() - start) / 1000 });
