import type { Chart } from './chart.js';
import type { MadeUpName } from './made-up-site.js';
import type { Column, Row } from './table.js';

/** The manuals of some packages, on four hosts or on one, or a made-up site. */
export type SiteName = 'docs' | 'docs-one-host' | MadeUpName;

/** What every benchmark is told. */
export interface BenchOptions {
  /** Rounds in which all that is compared takes its turn; by default as many as a figure needs to be quoted. */
  readonly rounds: number;
  /** 1 is full size; less makes tables, sites and webs smaller by that factor. */
  readonly scale: number;
  /** Of the benches with `sites`: which one. */
  readonly site: SiteName;
  /** Of `crawl`: on how many cores each crawler runs, one after the other; absent: on all that there are. */
  readonly cores?: readonly number[];
  /** Of `crawl` and `operations`: the folder of another checkout, built, that takes turns with this one. */
  readonly against?: string;
  /** Of `hbase-cycle`: `hbase://<gateways>/<namespace>:<prefix>`, for new tables whose names begin so; absent: one is started. */
  readonly hbase?: string;
  /** Run only what is named so; absent: all. */
  readonly only?: readonly string[];
  /** Where tables and outputs go; emptied by nobody but its user. */
  readonly cache: string;
  /** One line on what is going on. */
  readonly say: (line: string) => void;
}

/** What a benchmark found. */
export interface BenchResult {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What to know to read the table: what was left out, what differs, which ratios are asked for. */
  readonly notes: readonly string[];
  readonly chart: Chart;
  /** Every single measurement, for the JSON file. */
  readonly samples: unknown;
}

/** One benchmark: `npm run bench -- <name>`. */
export interface Bench {
  readonly about: string;
  /** What it compares, and `--only` may name. */
  readonly names: readonly string[];
  /** What `--site` may name, the first of them by default; absent: it takes no site. */
  readonly sites?: readonly SiteName[];
  /** Rounds of a run that counts, where they are not five. */
  readonly rounds?: number;
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
}

/** A count at this scale, never below `least`. */
export function scaled(count: number, scale: number, least = 1): number {
  return Math.max(least, Math.round(count * scale));
}

/** Whether `name` is to be run. */
export function isWanted({ only }: Pick<BenchOptions, 'only'>, name: string): boolean {
  return only === undefined || only.includes(name);
}
