// Makes the table of a plan of the benchmark `export`. Nothing is due in it, so it has no frontier.
import { openLevelStore, openTables, type PageChange } from '../../webtable/index.js';
import { exportRows, type ExportPlan } from '../lib/export-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const start = performance.now();
const { directory, plan } = givenArgument<{ directory: string; plan: ExportPlan }>();
const tables = await openTables(await openLevelStore(directory));
let chunk: PageChange[] = [];
for (const change of exportRows(plan)) {
  chunk.push(change);
  if (chunk.length < CHUNK) continue;
  await tables.pages.write(chunk);
  chunk = [];
}
await tables.pages.write(chunk);
await tables.close();
reply({ seconds: (performance.now() - start) / 1000 });
