// Makes the table of a plan of the benchmark `statistics`. Nothing is due in it, so it has no frontier.
import { chunked, openLevelStore, openTables } from '../../webtable/index.js';
import { prefixRows, type PrefixPlan } from '../lib/prefix-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const start = performance.now();
const { directory, plan } = givenArgument<{ directory: string; plan: PrefixPlan }>();
const tables = await openTables(await openLevelStore(directory));
async function* rows() {
  yield* prefixRows(plan);
}
for await (const changes of chunked(rows(), CHUNK)) await tables.pages.write(changes);
await tables.close();
reply({ seconds: (performance.now() - start) / 1000 });
