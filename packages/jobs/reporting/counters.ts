import type { PluginErrorCode, ProtocolCode } from '../../plugin-api/index.js';
import { CYCLE_COUNTERS } from './cycle-counters.js';
import { TABLE_COUNTERS } from './table-counters.js';

/**
 * The counters of the jobs, by job, with the meaning of each. Code that counts under another name does not compile. docs/REFERENCE.md is
 * generated from this list. `<plugin>` stands for the name of a plugin, `<code>` for a code.
 */
export const COUNTERS = { ...CYCLE_COUNTERS, ...TABLE_COUNTERS };

/** The name of a counter: one of {@link COUNTERS}, or a protocol code. */
export type CounterName =
  | {
      [Job in keyof typeof COUNTERS]: keyof (typeof COUNTERS)[Job] extends infer Name
        ? Name extends `${infer Head}<${string}>`
          ? Head extends ''
            ? never
            : `${Head}${string}`
          : Name
        : never;
    }[keyof typeof COUNTERS]
  | ProtocolCode
  | PluginErrorCode;

/** A job with counters. */
export type JobName = keyof typeof COUNTERS;

/**
 * The counters of each job by their names in reports. There, names replace the parts `<plugin>`, `<code>` and `<counter>`. A counter of
 * zero is left out.
 */
export type CountersOfJobs = {
  readonly [Job in JobName]: {
    // Editors show the comments that the build makes from the meanings, as long as the keys are those of the table.
    readonly [Name in keyof Omit<(typeof COUNTERS)[Job], `${string}<${string}`>]?: number;
  } & {
    readonly [
      Name in keyof (typeof COUNTERS)[Job] as Name extends `${infer Head}<${string}>` ? `${Head}${string}` : never
    ]?: number;
  };
};

/**
 * The counters in the report of a job. The report of a crawl also has the counters of the jobs that the crawl runs. The report of a fetch
 * also has the counters of parse.
 */
export type JobCounters<Job extends JobName> = CountersOfJobs[Job] &
  (Job extends 'crawl'
    ? CountersOfJobs['inject'] &
        CountersOfJobs['fetch'] &
        Pick<
          CountersOfJobs['updatedb'],
          'added' | 'refused' | 'sooner' | 'links_late' | 'changes' | `changes_${string}` | 'rebased'
        >
    : unknown) &
  (Job extends 'crawl' | 'fetch' ? CountersOfJobs['parse'] & { readonly [Code in ProtocolCode]?: number } : unknown);

/** The counters of updatedb that the report of a crawl has too. The other counters of updatedb would repeat counters of fetch and parse. */
export const UPDATEDB_IN_CRAWL = [
  'added',
  'changes',
  'changes_<kind>',
  'changes_held',
  'rebased',
  'not_added',
  'not_added_rules',
  'refused',
  'sooner',
  'links_late',
  'plugin_error_<plugin>',
] as const satisfies readonly (keyof (typeof COUNTERS)['updatedb'])[];

/** The counters of folded inboxes that the report of a crawl has too. */
export const FOLD_IN_CRAWL: readonly string[] = [
  ...UPDATEDB_IN_CRAWL,
  'injected',
  'sitemaps_added',
  'sitemaps_not_added',
  'damaged',
];

/** Adds `n` to a counter. Default: 1. */
export type Count = (name: CounterName, n?: number) => void;

/** Counters by name, as in reports. */
export type Counts = Readonly<Record<string, number>>;

/** Creates counters that are all zero. */
export function createCounts() {
  const all: Record<string, number> = {};
  const add = (name: string, n: number): void => {
    if (n !== 0) all[name] = (all[name] ?? 0) + n;
  };
  return {
    /** The counters that are not zero. */
    all: all as Counts,
    count: ((name, n = 1) => add(name, n)) as Count,
    /** Adds the values of other counters. A prefix is put before each name. */
    add(others: Counts, prefix = ''): void {
      for (const [name, n] of Object.entries(others)) add(prefix + name, n);
    },
  };
}

/** Returns the sums of counters, sorted by name. */
export function addCounters(...all: readonly Counts[]): Counts {
  const sums = createCounts();
  for (const counters of all) sums.add(counters);
  return Object.fromEntries(Object.entries(sums.all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function onlyThose(counters: Counts, names: readonly string[]): Counts {
  const isNamed = (name: string): boolean =>
    names.some((each) => (each.endsWith('>') ? name.startsWith(each.replace(/<.*/, '')) : each === name));
  return Object.fromEntries(Object.entries(counters).filter(([name]) => isNamed(name)));
}
