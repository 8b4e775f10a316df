import type { Chart } from './chart.js';
import type { MadeUpName } from './made-up-site.js';
import type { Column, Row } from './table.js';

/** The manuals of some packages, on four hosts or on one, or a made-up site. */
export type SiteName = 'docs' | 'docs-one-host' | MadeUpName;

/** Options of every benchmark. */
export interface BenchOptions {
  /** Number of rounds. In each round everything that is compared runs once. Default: enough for figures that may be quoted. */
  readonly rounds: number;
  /** 1 is full size. A smaller number makes tables, sites and webs smaller by that factor. */
  readonly scale: number;
  /** For benches with `sites`: the site. */
  readonly site: SiteName;
  /** For `crawl`: numbers of cores to run each crawler on, one after another. Absent: all cores. */
  readonly cores?: readonly number[];
  /** For `crawl` and `operations`: the folder of another built checkout, to compare with this one. */
  readonly against?: string;
  /** For `hbase-cycle`: `hbase://<gateways>/<namespace>:<prefix>`, for new tables with this prefix. Absent: an HBase is started. */
  readonly hbase?: string;
  /** Run only these. Absent: all. */
  readonly only?: readonly string[];
  /** Folder for tables and outputs. Only the user empties it. */
  readonly cache: string;
  /** Prints one line on the progress. */
  readonly say: (line: string) => void;
}

/** A table with its heading. */
export interface BenchTable {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** The result of a benchmark. */
export interface BenchResult extends BenchTable {
  /** Additional tables, of other columns. */
  readonly more?: readonly BenchTable[];
  /** Notes for reading the table: missing parts, differences, and goals for ratios. */
  readonly notes: readonly string[];
  readonly chart: Chart;
  /** Every single measurement, for the JSON file. */
  readonly samples: unknown;
}

/** One benchmark: `npm run bench -- <name>`. */
export interface Bench {
  readonly about: string;
  /** The names that `--only` accepts. */
  readonly names: readonly string[];
  /** The names that `--site` accepts; the first is the default. Absent: it has no site. */
  readonly sites?: readonly SiteName[];
  /** Number of rounds of a full run. Default: five. */
  readonly rounds?: number;
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
}

/** A count at this scale, at least `least`. */
export function scaled(count: number, scale: number, least = 1): number {
  return Math.max(least, Math.round(count * scale));
}

/** Whether to run `name`. */
export function isWanted({ only }: Pick<BenchOptions, 'only'>, name: string): boolean {
  return only === undefined || only.includes(name);
}
