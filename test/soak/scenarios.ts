import { readRefetch } from '../../packages/jobs/scope/stored-scope.js';
import type { OpenContext } from '../../packages/webcrawl/internal.js';
import { fillOldTable, fillTable } from './filled-table.js';

/** The input of a step. */
export interface Soaked {
  /** The hosts of the web, see `madeWeb`. */
  readonly origins: readonly string[];
  /** The batches that are not closed, oldest first. */
  readonly batches: readonly string[];
}

/** One command line. It is killed and run again until it ends by itself. */
export interface Step {
  readonly args: (soaked: Soaked) => readonly string[];
  /** Other command lines that run at the same time and are killed as well. */
  readonly beside?: readonly ((soaked: Soaked) => readonly string[])[];
  /** The day on the clock of the processes, and of the web. */
  readonly day: number;
  /** The process serves until it is stopped; the test stops it when it is idle. */
  readonly serves?: boolean;
  /** After the step the search index has all pages of the table, and is compared. */
  readonly isIndexed?: boolean;
  /** The state after the step depends on when it was killed, and is not compared; a later step corrects it. */
  readonly isUnsettled?: boolean;
  /** The time within which the process is killed, in milliseconds. Default: half a second. */
  readonly span?: number;
  /**
   * Whether a killed command has done its work; called after a kill, for a command that would do more work if it ran again.
   * @param asked whether the web got a request during the step
   */
  readonly isDone?: (crawl: OpenContext, soaked: Soaked, asked: boolean) => Promise<boolean>;
}

/** Command lines in order. Their states are compared with those of a run without kills. */
export interface Scenario {
  /**
   * Fills a table; every run begins with a copy of it, so that exported files are equal. Absent: a run begins without a table.
   */
  readonly fill?: (crawl: OpenContext, seed: number) => Promise<void>;
  readonly steps: readonly Step[];
  /** Fields that depend on the order in which hosts answer or on how rounds overlap, so they differ without a kill too. */
  readonly except: readonly string[];
}

/** If rounds overlap, these fields depend on the path that found a page first, and on when its inlinks were folded. */
const BY_ORDER = ['score', 'cash', 'cashInFlight', 'distance', 'distanceInFlight', 'redirectDepth', 'inlinksFolded'];

const roots = ({ origins }: Soaked): string[] => origins.slice(0, -1).map((origin) => `${origin}/`);
const apart = ({ origins }: Soaked): string[] => [0, 3, 6].map((i) => `${origins.at(-1)}/a${i}`);

const crawl = (day: number, ...options: string[]): Step => ({
  day,
  args: (soaked) => ['crawl', ...roots(soaked), '--stay', 'any', '--top-n', '20', ...options],
});
/** Crawls, ranks and indexes until nothing more is to do. */
const serve = (day: number): Step => ({
  ...crawl(day, '--serve', '--port', '0'),
  serves: true,
  isIndexed: true,
  span: 3000,
});
/** A refetch is complete when the table has no note of it. After that, the same call would begin another one. */
const refetch = (day: number): Step => ({
  ...crawl(day, '--refetch'),
  isDone: async ({ tables }, _, asked) => asked && (await readRefetch(tables)) === undefined,
});
const injectApart = (day: number): Step => ({ day, args: (soaked) => ['inject', ...apart(soaked)] });
const compact = (day: number): Step => ({ day, args: () => ['compact'] });
const beside = (step: Step, ...others: Step[]): Step => ({ ...step, beside: others.map(({ args }) => args) });

/** A second run would make another batch. */
const generate = (day: number): Step => ({
  day,
  args: () => ['generate', '--top-n', '12'],
  isDone: async ({ tables }, { batches }) =>
    (await tables.batches.list()).some(({ batchId, state }) => state === 'open' && !batches.includes(batchId)),
});
const work = (day: number, ...args: string[]): Step => ({ day, args: () => args });
const on = (job: string, batch: number, day: number): Step => ({
  day,
  args: ({ batches }) => [job, batches[batch] ?? batches.at(-1) ?? '0-0'],
});

/** Rounds of single jobs with several open batches, one of them further than the others. */
function rounds(day: number, count: number): Step[] {
  return Array.from({ length: count }, (_, i) => [
    generate(day),
    generate(day),
    generate(day),
    on('fetch', 1, day),
    on('parse', 1, day),
    on('updatedb', 1, day),
    generate(day),
    work(day, 'fetch', '--all', ...(i % 2 ? ['--parse'] : [])),
    work(day, 'parse', '--all'),
    work(day, 'updatedb', '--all'),
  ]).flat();
}

/** An edit of rules, or a job on them. */
const rule = (day: number, ...args: string[]): Step => work(day, 'rules', ...args);
/** A second run would find no such rule. */
const removeRule = (day: number, id: string): Step => ({
  ...rule(day, 'remove', id, '--forget'),
  isDone: async ({ tables }) => (await tables.rules.read()).rules.every((each) => each.id !== id),
});
const propose = (day: number): Step => rule(day, 'propose', '--apply', '--set', 'propose.minRelevant=1');
/**
 * Edits, `apply` and a crawl that run at the same time end in any order, so the state is settled only when the rules are
 * applied again.
 */
const unsettled = (step: Step): Step => ({ ...step, isUnsettled: true });

/** In a filled table, no step changes when pages are due. */
const FILLED = ['dueAt', 'fetchedAt'];
/** Commands write their files to `out`. */
const make = (output: string, ...args: string[]): Step => work(0, ...args, '-o', `out/${output}`);

/** The scenarios by name; for a new job, add a line. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  crawl: { steps: [crawl(0)], except: BY_ORDER },
  single: {
    steps: [
      { day: 0, args: (soaked) => ['inject', ...roots(soaked)] },
      ...rounds(0, 2),
      // After a week, generate releases the batch that no job has worked on, and selects its pages again.
      generate(0),
      generate(8),
      ...rounds(9, 2),
    ],
    except: [],
  },
  recrawl: {
    steps: [crawl(0), crawl(8), injectApart(3), crawl(3), refetch(12), injectApart(-388), crawl(-388), crawl(20)],
    except: BY_ORDER,
  },
  refetch: { steps: [crawl(0), refetch(1), refetch(2)], except: BY_ORDER },
  compact: {
    steps: [crawl(0), beside(crawl(8), compact(8)), beside(refetch(9), compact(9)), compact(9)],
    except: BY_ORDER,
  },
  index: {
    steps: [
      crawl(0),
      work(0, 'index'),
      crawl(8),
      work(8, 'index'),
      refetch(9),
      work(9, 'index'),
      { ...work(9, 'index', '--all'), isIndexed: true },
    ],
    except: BY_ORDER,
  },
  serve: { steps: [serve(0), serve(8), serve(9), serve(16)], except: [...BY_ORDER, 'rank', 'hostRank'] },
  rules: {
    steps: [
      crawl(0),
      rule(0, 'add', 'relevant', '/p1'),
      rule(0, 'apply'),
      unsettled(beside(refetch(1), rule(1, 'add', 'relevant', '/p2'), rule(1, 'apply'))),
      unsettled(rule(1, 'apply')),
      work(1, 'repair'),
      propose(1),
      unsettled(beside(refetch(2), rule(2, 'disable', 'r2'), propose(2))),
      unsettled(rule(2, 'apply')),
      work(2, 'repair'),
      rule(2, 'disable', 'r3'),
      propose(2),
      removeRule(2, 'r2'),
      rule(2, 'apply'),
    ],
    except: BY_ORDER,
  },
  inject: { steps: [beside(crawl(0), injectApart(0)), crawl(0)], except: BY_ORDER },
  migrate: {
    fill: fillOldTable,
    steps: [
      { ...work(0, 'migrate'), span: 100 },
      make('inlinks.jsonl', 'export', 'pages', '--fields', 'title,inlinks', '--all'),
      { ...work(0, 'index'), isIndexed: true },
    ],
    except: FILLED,
  },
  exports: {
    fill: fillTable,
    steps: [
      make('pages.jsonl.gz', 'export', 'pages'),
      make('pages.csv', 'export', 'pages', '--fields', 'title,text,outlinks'),
      make('pages.parquet', 'export', 'pages', '--fields', 'title,text'),
      make('parquet', 'export', 'pages', '--format', 'parquet'),
      make('hosts', 'export', 'pages', '--format', 'hosts', '--fields', 'title'),
      make('markdown.jsonl', 'export', 'pages', '--fields', 'markdown'),
      make('pages.csv', 'export', 'pages', '--force'),
      make('chunks.jsonl', 'export', 'chunks'),
      make('warc', 'export', 'warc'),
      make('warc', 'export', 'warc', '--force', '--host', 'h1.example.com'),
      make('crawl.wacz', 'export', 'wacz'),
      make('krake', 'export', 'krake'),
      work(0, 'stats', 'prefixes', '--min', '2', '--output', 'out/prefixes.jsonl', '--force'),
    ],
    except: FILLED,
  },
  ranks: {
    fill: fillTable,
    steps: [
      work(0, 'rank', '--level', 'host'),
      work(0, 'rank'),
      work(0, 'dedup', '--exact'),
      work(0, 'dedup'),
      // This file has exact ranks; the comparison of rows rounds them.
      make('ranks.csv', 'export', 'pages', '--fields', 'rank,hostRank,duplicateOf'),
      // rank begins at the last ranks, so a kill while it writes changes where it begins; the result is the same up to the
      // tolerance.
      work(0, 'rank', '--set', 'rank.damping=0.5', '--set', 'rank.tolerance=1e-14'),
      make('pages', 'graph', '--level', 'page'),
      make('raw', 'graph', '--level', 'page', '--format', 'krake', '--raw'),
      make('parquet', 'graph', '--level', 'host', '--format', 'parquet'),
      make('hosts.svg', 'graph', '--level', 'host'),
      make('hosts.svg', 'graph', '--level', 'page', '--force'),
    ],
    except: FILLED,
  },
};
