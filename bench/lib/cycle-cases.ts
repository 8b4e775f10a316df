import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from './cycle-steps.js';
import type { TablePlan } from './cycle-table.js';

export interface TableCase {
  readonly name: string;
  readonly about: string;
  readonly rows: number;
  readonly hosts: number;
  readonly bigHostRows?: number;
  readonly notDue?: number;
  readonly refused?: number;
  readonly topN?: number;
  readonly maxCount?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly atMost?: Limits;
}

export interface Limits {
  readonly seconds: number;
  readonly memory?: number;
  readonly rowsRead?: number;
}

export interface Group {
  readonly tables: readonly TableCase[];
  readonly steps: readonly Step[];
}

export const TOP_N = 10_000;
const FEW = 100;
const GROWN = { seconds: 1.3, memory: 1.2 };
const SPECIAL = { seconds: 2 };
const PASSED_OVER = { seconds: 2, rowsRead: 2 };
const HOSTS = 100_000;
const FILTER_FILE = 'stricter-urlfilter.txt';
const REFUSED = { rows: 50_000, hosts: HOSTS, refused: 9, topN: FEW, atMost: PASSED_OVER } as const;

/** At full size. A smaller scale reduces rows, hosts and batches. No table has more hosts than rows. */
export const GROUPS: readonly Group[] = [
  {
    steps: [
      { name: 'generate', job: 'generate', isJudged: true },
      { name: 'fetch', job: 'fetch' },
      { name: 'fetch, rows only', job: 'fetch', isJudged: true },
      { name: 'parse', job: 'parse' },
      { name: 'parse, rows only', job: 'parse', isJudged: true },
      { name: 'updatedb', job: 'updatedb', isJudged: true },
    ],
    tables: [
      { name: '50k', about: '50,000 rows, what the others are compared with', rows: 50_000, hosts: HOSTS },
      { name: '500k', about: '500,000 rows on 100,000 hosts', rows: 500_000, hosts: HOSTS, atMost: GROWN },
      { name: '5m', about: '5,000,000 rows on 100,000 hosts', rows: 5_000_000, hosts: HOSTS, atMost: GROWN },
      {
        name: 'capped-host',
        about: '50,000 rows, and 4,000,000 of one host that come first and of which a batch takes 100',
        rows: 50_000,
        hosts: HOSTS,
        bigHostRows: 4_000_000,
        maxCount: 100,
        atMost: SPECIAL,
      },
      { name: '1m-hosts', about: '1,000,000 hosts of one row', rows: 1_000_000, hosts: 1_000_000, atMost: SPECIAL },
      {
        name: '90-not-due',
        about: '5,000,000 rows of which 90 % are not due, and some become due by the time of the cycle',
        rows: 5_000_000,
        hosts: HOSTS,
        notDue: 0.9,
        atMost: SPECIAL,
      },
      {
        name: 'big-batch',
        about:
          '2,000,000 rows, and a batch of one of each of 100,000 hosts: for its memory, of which 500 MB are asked for',
        rows: 2_000_000,
        hosts: HOSTS,
        topN: HOSTS,
        maxCount: 1,
      },
    ],
  },
  {
    // The first step refuses rows. The steps after it should cost only the rows that they select.
    steps: [
      { name: 'generate, the first', job: 'generate' },
      { name: 'generate, the next', job: 'generate', isJudged: true },
    ],
    tables: [
      {
        name: 'all-wanted',
        about: `the same 50,000 rows, and batches of ${FEW}`,
        rows: 50_000,
        hosts: HOSTS,
        topN: FEW,
      },
      {
        ...REFUSED,
        name: 'too-far',
        about: 'besides, 450,000 rows of better score that are too far from a seed (`generate.maxDistance`)',
        settings: { 'generate.maxDistance': 1 },
      },
      {
        ...REFUSED,
        name: 'wrong-status',
        about: 'besides, 450,000 rows of better score and another status (`generate.restrictStatus`)',
        settings: { 'generate.restrictStatus': ['unfetched'] },
      },
      {
        ...REFUSED,
        name: 'filtered',
        about: 'besides, 450,000 rows of better score that a URL filter rejects which was made stricter',
        settings: { 'urlfilter.regexFile': FILTER_FILE },
      },
      {
        name: 'low-score',
        about: '500,000 rows, of which nine in ten have less than `generate.minScore`',
        rows: 500_000,
        hosts: HOSTS,
        topN: FEW,
        settings: { 'generate.minScore': 0.9 },
        atMost: PASSED_OVER,
      },
    ],
  },
];

export async function writeRules(folder: string): Promise<void> {
  await writeFile(join(folder, FILTER_FILE), '-/refused/\n+.\n');
}

export function planOf(table: TableCase, size: (count: number) => number): TablePlan {
  const { bigHostRows = 0, notDue = 0, refused = 0 } = table;
  const rows = size(table.rows);
  const hosts = Math.min(rows, size(table.hosts));
  return {
    hosts,
    rowsPerHost: Math.ceil(rows / hosts),
    pool: size(GROUPS[0]!.tables[0]!.rows),
    bigHostRows: bigHostRows && size(bigHostRows),
    notDue,
    refused,
  };
}
