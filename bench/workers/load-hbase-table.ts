// Fills a new table on HBase with the rows of a plan, by puts in batches: the rows, then what leads to them.
import { createTable } from '../../packages/webcrawl/index.js';
import { openHBaseStore, openTables, type PageChange } from '../../webtable/index.js';
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
let chunk: PageChange[] = [];
for (const change of tableRows(plan)) {
  chunk.push(change);
  if (chunk.length < CHUNK) continue;
  await load(chunk);
  chunk = [];
}
await load(chunk);
await tables.close();
reply({ seconds: (performance.now() - start) / 1000 });
