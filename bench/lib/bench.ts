import type { Chart } from './chart.js';
import type { MadeUpName } from './made-up-site.js';
import type { Column, Row } from './table.js';

export type SiteName = 'docs' | 'docs-one-host' | MadeUpName;

export interface BenchOptions {
  readonly rounds: number;
  readonly scale: number;
  readonly site: SiteName;
  /** For `crawl`: numbers of cores to run each crawler on, one after another. Absent: all cores. */
  readonly cores?: readonly number[];
  /** For `crawl` and `operations`: the folder of another built checkout, to compare with this one. */
  readonly against?: string;
  /** For `hbase-cycle`: `hbase://<gateways>/<namespace>:<prefix>`, for new tables with this prefix. Absent: an HBase is started. */
  readonly hbase?: string;
  readonly only?: readonly string[];
  /** Folder for tables and outputs. Only the user empties it. */
  readonly cache: string;
  readonly say: (line: string) => void;
}

export interface BenchTable {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export interface BenchResult extends BenchTable {
  readonly more?: readonly BenchTable[];
  readonly notes: readonly string[];
  readonly chart: Chart;
  readonly samples: unknown;
}

export interface Bench {
  readonly about: string;
  readonly names: readonly string[];
  /** The names that `--site` accepts; the first is the default. Absent: it has no site. */
  readonly sites?: readonly SiteName[];
  readonly rounds?: number;
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
}

export function scaled(count: number, scale: number, least = 1): number {
  return Math.max(least, Math.round(count * scale));
}

export function isWanted({ only }: Pick<BenchOptions, 'only'>, name: string): boolean {
  return only === undefined || only.includes(name);
}
