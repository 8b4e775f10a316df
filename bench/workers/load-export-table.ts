// Makes the table of a plan of the benchmark `export`. It has no due rows, so it has no frontier.
import { chunked, openLevelStore, openTables, type PageChange } from '../../webtable/index.js';
import { exportRows, type ExportPlan, type ExportRow } from '../lib/export-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n';
const start = performance.now();
const { directory, plan } = givenArgument<{ directory: string; plan: ExportPlan }>();
const tables = await openTables(await openLevelStore(directory));
for await (const chunk of chunked(exportRows(plan), CHUNK)) await load(chunk);
await tables.close();
reply({ seconds: (performance.now() - start) / 1000 });

/** Writes bodies before the rows with their locations. */
async function load(rows: readonly ExportRow[]): Promise<void> {
  const bodies = rows.flatMap(({ body }) => (body ? [body] : []));
  const places = await tables.content.append(
    bodies.map(({ url, date, html }) => ({ kind: 'response', url, date, head: HEAD, body: Buffer.from(html) })),
  );
  let next = 0;
  const changes = rows.map(({ change, body }): PageChange => {
    return body ? { ...change, set: { ...change.set, contentLocation: places[next++]! } } : change;
  });
  await tables.pages.write(changes);
}
