// Crawls the made-up news web in rounds of equal size, with or without rules, and reports each round.
import { jobs, openContext, rules, type Rule } from '../../packages/webcrawl/internal.js';
import { webWithoutNetwork } from '../lib/made-page.js';
import type { NewsKind } from '../lib/news-paths.js';
import { usefulRules } from '../lib/news-rules.js';
import { newsWeb } from '../lib/news-web.js';
import { givenArgument, reply } from '../lib/worker.js';

/** The crawl to run. */
export interface FocusJob {
  readonly directory: string;
  readonly scale: number;
  readonly rounds: number;
  /** Maximum number of URLs in a round. */
  readonly budget: number;
  /** Add rules on relevance before the first round. */
  readonly useful: boolean;
  /** Propose rules, and apply the proposals, once in this number of rounds. */
  readonly propose?: number;
  /** Further settings of the crawl. */
  readonly settings?: Readonly<Record<string, number>>;
}

/** One round. */
export interface FocusRound {
  readonly round: number;
  readonly fetched: number;
  /** Number of articles. Each counts when it is first fetched under any of its URLs. */
  readonly useful: number;
  /** Number of articles in all rounds so far. */
  readonly total: number;
  /** Number of requested URLs by kind. URLs with a session, and articles that were fetched before, count separately. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** The part of it for proposing and applying rules. */
  readonly proposing: number;
  /** Number of rules that were added after the round. */
  readonly added: number;
}

/** Sent for each round, and at the end. */
export interface FocusReply {
  readonly round?: FocusRound;
  /** All rules of the table, at the end. */
  readonly rules: readonly Rule[];
}

const job = givenArgument<FocusJob>();
const web = newsWeb(job.scale);
const seen = new Set<string>();
let kinds = new Map<string, number>();

const crawl = await openContext({
  table: `level:${job.directory}`,
  settings: {
    'fetcher.serverDelay': 0,
    'fetcher.threadsPerQueue': 64,
    'fetcher.threadsFetch': 64,
    // Otherwise a round may fetch more pages than it selected.
    'fetcher.maxRedirects': 0,
    ...job.settings,
  },
  // The names may belong to real hosts, so there is no lookup.
  lookup: () => Promise.resolve(['127.0.0.1']),
  plugins: [
    webWithoutNetwork('news-web', (host, path) => {
      const url = `http://${host}${path}`;
      const answer = web.answerOf(url);
      note(answer);
      return web.fetch(url);
    }),
  ],
});
if (job.useful) await rules.add(crawl, usefulRules(web.sites));
for (let round = 1; round <= job.rounds; round++)
  reply({ round: await crawlRound(round), rules: [] } satisfies FocusReply);
reply({ rules: (await rules.list(crawl)).rules } satisfies FocusReply);
await crawl.close();

async function crawlRound(round: number): Promise<FocusRound> {
  kinds = new Map();
  const begin = performance.now();
  await jobs.crawl(crawl, {
    seeds: round === 1 ? web.seeds : [],
    stay: 'domain',
    rounds: 1,
    topN: job.budget,
  });
  const crawled = performance.now();
  const added = job.propose !== undefined && round % job.propose === 0 ? await proposeRules() : 0;
  const end = performance.now();
  return {
    round,
    fetched: [...kinds.values()].reduce((sum, n) => sum + n, 0),
    useful: kinds.get('article') ?? 0,
    total: seen.size,
    kinds: Object.fromEntries([...kinds].sort(([, a], [, b]) => b - a)),
    seconds: (end - begin) / 1000,
    proposing: (end - crawled) / 1000,
    added,
  };
}

/** @returns number of added rules */
async function proposeRules(): Promise<number> {
  const { added } = await rules.propose(crawl, { apply: true });
  // For www rules: moves known pages to the other form.
  await rules.apply(crawl);
  return added?.added.length ?? 0;
}

function note(answer: ReturnType<typeof web.answerOf>): void {
  let kind: NewsKind | 'nothing' | 'again' | 'session' = answer?.kind ?? 'nothing';
  if (answer?.article !== undefined) {
    if (seen.has(answer.article)) kind = 'again';
    seen.add(answer.article);
  } else if (answer?.hasSession) kind = 'session';
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
}
