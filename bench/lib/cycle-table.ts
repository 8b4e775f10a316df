import { rowKeyOf, type PageChange } from '../../packages/webcrawl/index.js';
import { mix } from './made-page.js';

/** What a table of the benchmark `cycle` holds. The names of its hosts hold all of it that a page must know. */
export interface TablePlan {
  readonly hosts: number;
  readonly rowsPerHost: number;
  /** Of the rows that are spread over the hosts, how many are linked to: the same number in each table. */
  readonly pool: number;
  /** Rows of one further host, of better score than all others. */
  readonly bigHostRows: number;
  /** The part of the rows that are not due, from 0 to 1. */
  readonly notDue: number;
  /** For each row that is spread over the hosts so many of the same host, of better score, that settings can refuse. */
  readonly refused: number;
}

/** The time at which the cycle runs, in ms since the epoch. */
export const CYCLE_TIME = 1_800_000_000_000;
const DAY = 86_400_000;
const MONTH = 30 * 86_400;
/** Of the rows that are not due when the table is made, one in so many has become so by the time of the cycle. */
const BECOMES_DUE = 1000;
const LINKS = 10;

/** The host of this number; a name of its own domain, made so that the order of numbers is the order of keys. */
export function hostName({ hosts, rowsPerHost, pool }: TablePlan, host: number): string {
  return `h${String(host).padStart(7, '0')}.n${hosts}x${rowsPerHost}p${pool}.example`;
}

function pathOf(row: number): string {
  return `/${String(row).padStart(7, '0')}`;
}

/** All rows, those of a kind in order of their keys, as they were found and not fetched, or, where they are not due, fetched before. */
export function* tableRows(plan: TablePlan): Generator<PageChange> {
  for (let host = 0; host < plan.hosts; host++) {
    for (let row = 0; row < plan.rowsPerHost; row++) {
      yield makeRow(plan, hostName(plan, host), row, mix(host, row), (mix(host, row, 1) % 10_000) / 10_000);
    }
  }
  yield* refusedRows(plan);
  const big = hostName(plan, plan.hosts);
  for (let row = 0; row < plan.bigHostRows; row++) yield makeRow(plan, big, row, mix(plan.hosts, row), 2);
}

/** Two links from a seed, found to redirect before, below one folder; due, and better than all others but those of the big host. */
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

/** The links of a page: half to rows of the pool, half to pages that no table has. */
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
