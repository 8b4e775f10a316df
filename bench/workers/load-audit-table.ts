// Makes the table of a plan of the benchmark `audit`. It has no due rows, so it has no frontier.
import { chunked, openLevelStore, openTables } from '../../webtable/index.js';
import { auditRows, type AuditPlan } from '../lib/audit-table.js';
import { givenArgument, reply } from '../lib/worker.js';

const CHUNK = 2000;
const start = performance.now();
const { directory, plan } = givenArgument<{ directory: string; plan: AuditPlan }>();
const tables = await openTables(await openLevelStore(directory));
for await (const chunk of chunked(auditRows(plan), CHUNK)) await tables.pages.write(chunk);
await tables.close();
reply({ seconds: (performance.now() - start) / 1000 });
