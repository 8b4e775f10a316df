// Crawls the made-up news web in rounds of one size, with or without rules, and tells of each round.
import { jobs, openCrawl, rules, type Rule } from '../../packages/webcrawl/index.js';
import { webWithoutNetwork } from '../lib/made-page.js';
import type { NewsKind } from '../lib/news-paths.js';
import { usefulRules } from '../lib/news-rules.js';
import { newsWeb } from '../lib/news-web.js';
import { givenArgument, peakMemoryMb, reply } from '../lib/worker.js';

/** What to crawl, and how. */
export interface FocusJob {
  readonly directory: string;
  readonly scale: number;
  readonly rounds: number;
  /** URLs of a round at the most. */
  readonly budget: number;
  /** Rules on what is useful are given before the first round. */
  readonly useful: boolean;
  /** After every so many rounds rules are proposed, and those that are proposed applied. */
  readonly propose?: number;
  /** Settings of the crawl besides. */
  readonly settings?: Readonly<Record<string, number>>;
}

/** One round. */
export interface FocusRound {
  readonly round: number;
  readonly fetched: number;
  /** Articles, each the first time that it is fetched under any of its URLs. */
  readonly useful: number;
  /** All of them up to now. */
  readonly total: number;
  /** What was asked for, by kind; that of a session counts apart, and so does an article that was there before. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of these, those of proposing and applying rules. */
  readonly proposing: number;
  /** Rules that were added after the round. */
  readonly added: number;
  readonly memoryMb: number;
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

const crawl = await openCrawl({
  table: `level:${job.directory}`,
  settings: {
    'fetcher.serverDelay': 0,
    'fetcher.threadsPerQueue': 64,
    'fetcher.threadsFetch': 64,
    // Else a round may fetch more than it selected.
    'fetcher.maxRedirects': 0,
    ...job.settings,
  },
  // The names may be somebody's: nobody is asked for them.
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
    memoryMb: peakMemoryMb(),
  };
}

/** @returns how many were added */
async function proposeRules(): Promise<number> {
  const { added } = await rules.propose(crawl, { apply: true });
  // For www rules: what is known under the other form.
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
