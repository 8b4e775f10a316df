import { readRefetch } from '../../packages/jobs/scope/stored-scope.js';
import type { OpenContext } from '../../packages/webcrawl/internal.js';
import { fillOldTable, fillTable } from './filled-table.js';

/** What a step knows when it begins. */
export interface Soaked {
  /** The hosts of the web, see `madeWeb`. */
  readonly origins: readonly string[];
  /** The batches that were made so far and are not closed yet, in the order of their making. */
  readonly batches: readonly string[];
}

/** One command line, which is killed and run again until it ends by itself. */
export interface Step {
  readonly args: (soaked: Soaked) => readonly string[];
  /** Others that run at the same time, and are killed alike. */
  readonly beside?: readonly ((soaked: Soaked) => readonly string[])[];
  /** The day on the clock of the processes, and of the web. */
  readonly day: number;
  /** It serves until it is stopped, which it is when it has come to rest. */
  readonly serves?: boolean;
  /** The search index is then as the table is, and compared. */
  readonly isIndexed?: boolean;
  /** What is there then depends on when it was killed, and is not compared: a step to come puts it right. */
  readonly isUnsettled?: boolean;
  /** Milliseconds within which it is killed, at the most. Absent: half a second. */
  readonly span?: number;
  /**
   * Looked at after a kill, for a command that does something else when it is run again after it has done its work: whether
   * it has.
   * @param asked the web was asked for anything during the step
   */
  readonly isDone?: (crawl: OpenContext, soaked: Soaked, asked: boolean) => Promise<boolean>;
}

/** Command lines in order, and what of the end state is compared with that of the same ones undisturbed. */
export interface Scenario {
  /** Fills the table that every run begins with a copy of, so that files made of it are the same. Absent: a run begins without a table. */
  readonly fill?: (crawl: OpenContext, seed: number) => Promise<void>;
  readonly steps: readonly Step[];
  /** Fields that follow from the order in which hosts answer or rounds overlap, so that they differ without a kill too. */
  readonly except: readonly string[];
}

/** In rounds that overlap, these depend on which way led to a page first, and on when its inlinks were joined. */
const BY_ORDER = ['score', 'cash', 'cashInFlight', 'distance', 'distanceInFlight', 'redirectDepth', 'inlinksFolded'];

const roots = ({ origins }: Soaked): string[] => origins.slice(0, -1).map((origin) => `${origin}/`);
const apart = ({ origins }: Soaked): string[] => [0, 3, 6].map((i) => `${origins.at(-1)}/a${i}`);

const crawl = (day: number, ...options: string[]): Step => ({
  day,
  args: (soaked) => ['crawl', ...roots(soaked), '--stay', 'any', '--top-n', '20', ...options],
});
/** Crawls, ranks and indexes, until there is nothing left to do. */
const serve = (day: number): Step => ({
  ...crawl(day, '--serve', '--port', '0'),
  serves: true,
  isIndexed: true,
  span: 3000,
});
/** It is over when its note in the table is gone; the same call begins another one then. */
const refetch = (day: number): Step => ({
  ...crawl(day, '--refetch'),
  isDone: async ({ tables }, _, asked) => asked && (await readRefetch(tables)) === undefined,
});
const injectApart = (day: number): Step => ({ day, args: (soaked) => ['inject', ...apart(soaked)] });
const compact = (day: number): Step => ({ day, args: () => ['compact'] });
const beside = (step: Step, ...others: Step[]): Step => ({ ...step, beside: others.map(({ args }) => args) });

/** Run again, it would make another batch. */
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

/** Rounds of single jobs with several batches open, one of which is ahead of the others. */
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
/** Run again, it would find that there is no such rule. */
const removeRule = (day: number, id: string): Step => ({
  ...rule(day, 'remove', id, '--forget'),
  isDone: async ({ tables }) => (await tables.rules.read()).rules.every((each) => each.id !== id),
});
const propose = (day: number): Step => rule(day, 'propose', '--apply', '--set', 'propose.minRelevant=1');
/** Edits, `apply` and a crawl that run beside one another come in any order, until the rules are applied again. */
const unsettled = (step: Step): Step => ({ ...step, isUnsettled: true });

/** Of a table that was filled: no step changes when pages are due. */
const FILLED = ['dueAt', 'fetchedAt'];
/** What a command makes is in `out`. */
const make = (output: string, ...args: string[]): Step => work(0, ...args, '-o', `out/${output}`);

/** By name; a new job is one more line. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  crawl: { steps: [crawl(0)], except: BY_ORDER },
  single: {
    steps: [
      { day: 0, args: (soaked) => ['inject', ...roots(soaked)] },
      ...rounds(0, 2),
      // What nobody worked on is released after a week, and selected anew.
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
      // Ranks to the bit, which are rounded where rows are compared.
      make('ranks.csv', 'export', 'pages', '--fields', 'rank,hostRank,duplicateOf'),
      // It begins at the last ranks, and anew after a kill while it writes: the same up to the tolerance.
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
