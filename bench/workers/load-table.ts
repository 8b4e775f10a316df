// Makes the table of a plan, in a directory or on HBase.
import { join } from 'node:path';
import { Level } from 'level';
import { openHBaseStore } from '../../packages/hbase/index.js';
import { createTable } from '../../packages/webcrawl/internal.js';
import { chunked, openLevelStore, openTables, type PageChange, type Tables } from '../../webtable/index.js';
import { auditRows, type AuditPlan } from '../lib/audit-table.js';
import { LOAD_TIME, tableRows, type TablePlan } from '../lib/cycle-table.js';
import { exportRows, type ExportPlan, type ExportRow } from '../lib/export-table.js';
import { loadPages } from '../lib/load-pages.js';
import { givenArgument, measured, reply } from '../lib/worker.js';

/** Plans by the kind of table. */
export interface TablePlans {
  readonly cycle: TablePlan;
  /** Such a table has no due rows, so it has no frontier. */
  readonly audit: AuditPlan;
  /** Such a table has no due rows, so it has no frontier. */
  readonly export: ExportPlan;
  /** The rows of `cycle` on HBase. */
  readonly hbase: TablePlan;
}

/** The table to make. */
export interface LoadJob<K extends keyof TablePlans = keyof TablePlans> {
  readonly kind: K;
  readonly plan: TablePlans[K];
  /** A directory, or the URL of a new table on HBase. */
  readonly table: string;
}

const CHUNK = 2000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n';
const LOADERS: { readonly [K in keyof TablePlans]: (tables: Tables, plan: TablePlans[K]) => Promise<void> } = {
  cycle: (tables, plan) => loadPages(tables, tableRows(plan), LOAD_TIME),
  async audit(tables, plan) {
    for await (const chunk of chunked(auditRows(plan), CHUNK)) await tables.pages.write(chunk);
  },
  async export(tables, plan) {
    for await (const chunk of chunked(exportRows(plan), CHUNK)) await loadExportRows(tables, chunk);
  },
  /** By batched puts: the rows, then their entries. */
  async hbase(tables, plan) {
    const held = await tables.leases.take(tables.slots.all, { job: 'load', wait: 0 });
    for await (const chunk of chunked(tableRows(plan), CHUNK)) {
      await tables.pages.writeAsRead(chunk, []);
      const rows = chunk.map(({ key, set: { dueAt = 0, score = 0 } = {} }) => ({ key, dueAt, score }));
      await tables.frontier.enterMissing(rows, LOAD_TIME);
    }
    await held.release();
  },
};

const job = givenArgument<LoadJob>();
const [, { seconds }] = await measured(() => load(job));
reply({ seconds });

async function load<K extends keyof TablePlans>({ kind, plan, table }: LoadJob<K>): Promise<void> {
  if (kind === 'hbase') await createTable({ table });
  const tables = await openTables(await (kind === 'hbase' ? openHBaseStore(table) : openLevelStore(table)));
  await LOADERS[kind](tables, plan);
  await tables.close();
  // So that every run starts from the same state.
  if (kind === 'cycle') await compact(join(table, 'hot'));
}

/** Writes bodies before the rows with their locations. */
async function loadExportRows(tables: Tables, rows: readonly ExportRow[]): Promise<void> {
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

async function compact(folder: string): Promise<void> {
  // The types of level lack methods that databases in browsers do not have.
  const database = new Level(folder) as Level & { compactRange(start: string, end: string): Promise<void> };
  await database.open({ createIfMissing: false });
  await database.compactRange('', '\u{10ffff}');
  await database.close();
}
