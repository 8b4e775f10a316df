import { join } from 'node:path';
import { Level } from 'level';
import { openHBaseStore } from '../../packages/hbase/index.js';
import { createTable, rowKeyOf, type PageChange } from '../../packages/webcrawl/internal.js';
import { chunked, openLevelStore, openTables } from '../../webtable/index.js';
import type { TableKind } from './cached-table.js';
import { loadPages } from './fill-table.js';
import { mix } from './made-page.js';

/** The names of the hosts of a table encode everything that a page needs to know. */
export interface TablePlan {
  readonly hosts: number;
  readonly rowsPerHost: number;
  /** Number of linked rows among those that are spread over the hosts: the same in each table. */
  readonly pool: number;
  readonly bigHostRows: number;
  readonly notDue: number;
  /** For each row that is spread over the hosts, this number of rows on the same host with a better score, which settings can refuse. */
  readonly refused: number;
}

export const CYCLE_TIME = 1_800_000_000_000;
const DAY = 86_400_000;
const MONTH = 30 * 86_400;
/** One in this number of the rows that are not due when the table is made is due by the time of the cycle. */
const BECOMES_DUE = 1000;
const LINKS = 10;
const HBASE_CHUNK = 2000;

export const CYCLE_TABLE: TableKind<TablePlan> = { name: 'cycle', module: import.meta.url, load: loadCycleTable };

export async function loadCycleTable({ directory, plan }: { directory: string; plan: TablePlan }): Promise<void> {
  const tables = await openTables(await openLevelStore(directory));
  await loadPages(tables, tableRows(plan), LOAD_TIME);
  await tables.close();
  // Compacted, so that every run starts from the same state. The types of level lack methods that databases in browsers do not have.
  const database = new Level(join(directory, 'hot')) as Level & {
    compactRange(from: string, to: string): Promise<void>;
  };
  await database.open({ createIfMissing: false });
  await database.compactRange('', '\u{10ffff}');
  await database.close();
}

/** Makes a table on HBase by batched puts: the rows, then their entries. */
export async function loadHBaseTable({ url, plan }: { url: string; plan: TablePlan }): Promise<void> {
  await createTable({ table: url });
  const tables = await openTables(await openHBaseStore(url));
  const held = await tables.leases.take(tables.slots.all, { job: 'load', wait: 0 });
  for await (const chunk of chunked(tableRows(plan), HBASE_CHUNK)) {
    await tables.pages.writeAsRead(chunk, []);
    const rows = chunk.map(({ key, set: { dueAt = 0, score = 0 } = {} }) => ({ key, dueAt, score }));
    await tables.frontier.enterMissing(rows, LOAD_TIME);
  }
  await held.release();
  await tables.close();
}

/** The host with this number. Each host has a domain of its own, and the order of numbers is the order of keys. */
function hostName({ hosts, rowsPerHost, pool }: TablePlan, host: number): string {
  return `h${String(host).padStart(7, '0')}.n${hosts}x${rowsPerHost}p${pool}.example`;
}

function pathOf(row: number): string {
  return `/${String(row).padStart(7, '0')}`;
}

/** All rows; those of a kind are in key order. Due ones are found but not fetched yet, and the others were fetched before. */
function* tableRows(plan: TablePlan): Generator<PageChange> {
  for (let host = 0; host < plan.hosts; host++) {
    for (let row = 0; row < plan.rowsPerHost; row++) {
      yield makeRow(plan, hostName(plan, host), row, mix(host, row), (mix(host, row, 1) % 10_000) / 10_000);
    }
  }
  yield* refusedRows(plan);
  const big = hostName(plan, plan.hosts);
  for (let row = 0; row < plan.bigHostRows; row++) yield makeRow(plan, big, row, mix(plan.hosts, row), 2);
}

/**
 * Rows two links from a seed, last known as a redirect, below one folder; they are due, and better than all others except those of the big
 * host.
 */
function* refusedRows(plan: TablePlan): Generator<PageChange> {
  for (let host = 0; host < plan.hosts; host++) {
    for (let row = 0; row < plan.rowsPerHost * plan.refused; row++) {
      const score = 1 + (mix(host, row, 2) % 10_000) / 10_000;
      const { key, set } = makeRow(
        { ...plan, notDue: 0 },
        hostName(plan, host),
        row,
        mix(host, row, 3),
        score,
        '/refused',
      );
      yield { key, set: { ...set, status: 'redir_temp', distance: 2 } };
    }
  }
}

function makeRow(
  { notDue }: TablePlan,
  host: string,
  row: number,
  random: number,
  score: number,
  folder = '',
): PageChange {
  const isDue = random / 2 ** 32 >= notDue;
  const dueIn = random % BECOMES_DUE === 0 ? -DAY / 2 : DAY * (1 + (random % 30));
  return {
    key: rowKeyOf(`http://${host}${folder}${pathOf(row)}`),
    set: {
      status: isDue ? 'unfetched' : 'fetched',
      dueAt: CYCLE_TIME + (isDue ? -DAY : dueIn),
      fetchInterval: MONTH,
      retries: 0,
      score,
      cash: score,
      distance: 1,
      ...(!isDue && { fetchedAt: CYCLE_TIME - MONTH * 1000, signature: random.toString(16).padStart(32, '0') }),
    },
  };
}

/** When the table is made, in ms since the epoch: before some of its rows become due. */
export const LOAD_TIME = CYCLE_TIME - DAY;

/** The links of a page: half of them to rows of the pool, half to pages that are in no table. */
export function linksOf(host: string, path: string): string[] {
  const [, hostNumber = 0, hosts = 1, rowsPerHost = 1, pool = 1] = (/^h(\d+)\.n(\d+)x(\d+)p(\d+)/.exec(host) ?? []).map(
    Number,
  );
  const plan: TablePlan = { hosts, rowsPerHost, pool, bigHostRows: 0, notDue: 0, refused: 0 };
  const page = Number(path.slice(1));
  return Array.from({ length: LINKS }, (_, i) => {
    const random = mix(hostNumber, page, i);
    if (i % 2 === 1) return `http://${hostName(plan, random % hosts)}/new/${hostNumber}-${page}-${i}`;
    const known = Math.floor(((random % pool) * hosts * rowsPerHost) / pool);
    return `http://${hostName(plan, known % hosts)}${pathOf(Math.floor(known / hosts))}`;
  });
}
