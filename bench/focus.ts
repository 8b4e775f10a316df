/**
 * A crawl for articles, a tenth of a made-up web: with default scoring, with rules on relevance, with filters that the crawler proposes in
 * addition, and beside a crawler that knows the whole web.
 */
import { join } from 'node:path';
import { jobs, openContext, rules, type NewRule, type Rule } from '../packages/webcrawl/internal.js';
import { crawlKnowing } from './lib/all-knowing.js';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import type { Series } from './lib/chart.js';
import { inEmptyFolder } from './lib/folders.js';
import { webWithoutNetwork } from './lib/made-page.js';
import { SECTIONS } from './lib/news-articles.js';
import { countsOf } from './lib/news-links.js';
import { reachableArticles } from './lib/news-reach.js';
import type { NewsSite } from './lib/news-sites.js';
import { newsWeb, type NewsAnswer, type NewsWeb } from './lib/news-web.js';
import { formatNumber, tabulate, type Figure } from './lib/table.js';
import { runJob } from './lib/worker.js';

/** At full size. `MIN_ROUNDS` is needed for the checks below. */
const [ROUNDS, MIN_ROUNDS] = [20, 8];
const BUDGET = 2_000;
const PROPOSE_EVERY = 3;
/** The goal with rules: this share of articles in each round from `FROM` to `TO`. In the last rounds few linked articles are left. */
const [ASKED_SHARE, FROM, TO] = [0.8, 5, 18];
/** The goal with proposals: this part of the articles of the all-knowing crawler. */
const ASKED_PART = 0.92;

const CRAWLS = [
  { name: 'stock', head: 'stock', label: 'stock scoring', useful: false },
  { name: 'rules', head: 'rules', label: 'rules on what is useful', useful: true },
  { name: 'proposals', head: 'proposals', label: 'the same, and proposals', useful: true, propose: PROPOSE_EVERY },
] as const;
const KNOWING = { head: 'all-knowing', label: 'a crawler that knows all' } as const;

export const focusBench: Bench = {
  about: 'a made-up web of 40 news sites: the share of articles with stock scoring, with rules, with proposals',
  names: CRAWLS.map(({ name }) => name),
  rounds: 1,
  run,
};

interface Crawled {
  readonly rounds: FocusRound[];
  readonly rules: readonly Rule[];
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const { scale, cache, say } = options;
  const web = newsWeb(scale);
  const budget = scaled(BUDGET, scale, 60);
  const count = scaled(ROUNDS, scale, MIN_ROUNDS);
  const knowing = sums(crawlKnowing(web, count, budget));
  const crawls = new Map<string, Crawled>();
  for (const { name, useful, ...given } of CRAWLS.filter(({ name }) => isWanted(options, name))) {
    const rounds: FocusRound[] = [];
    const onReport = (round: FocusRound): void => {
      rounds.push(round);
      say(`${name}, round ${round.round}: ${round.useful} of ${round.fetched}, ${round.seconds.toFixed(1)} s`);
    };
    const found = await inEmptyFolder(join(cache, `focus-${name}`), (directory) =>
      runJob(import.meta.url, crawlNews, { directory, scale, rounds: count, budget, useful, ...given }, { onReport }),
    );
    crawls.set(name, { rounds, rules: found });
  }
  return resultOf(web, budget, crawls, knowing);
}

function sums<T extends { readonly useful: number }>(rounds: readonly T[]): (T & { readonly total: number })[] {
  let total = 0;
  return rounds.map((round) => ({ ...round, total: (total += round.useful) }));
}

const percent = ({ useful, fetched }: { readonly useful: number; readonly fetched: number }): number =>
  fetched === 0 ? NaN : (100 * useful) / fetched;

function resultOf(
  web: NewsWeb,
  budget: number,
  crawls: ReadonlyMap<string, Crawled>,
  knowing: readonly { readonly fetched: number; readonly useful: number; readonly total: number }[],
): BenchResult {
  const shown = [
    ...CRAWLS.flatMap(({ name, head, label }) => {
      const rounds = crawls.get(name)?.rounds;
      return rounds ? [{ name, head, label, rounds }] : [];
    }),
    { name: 'knowing', ...KNOWING, rounds: knowing },
  ];
  const lines = (value: (round: (typeof knowing)[number]) => number): Series[] =>
    [...shown.slice(-2, -1), ...shown.slice(0, -2), ...shown.slice(-1)].map(({ label, rounds }) => ({
      label,
      points: rounds.flatMap((round, i) => (Number.isFinite(value(round)) ? [[i + 1, value(round)] as const] : [])),
    }));
  const sum = (counts: readonly number[]): number => counts.reduce((total, n) => total + n, 0);
  const urls = sum(web.sites.flatMap((site) => Object.values(countsOf(site, web.sites))));
  const articles = sum(web.sites.map((site) => site.articles));
  type Shown = (typeof shown)[number];
  const columnsOf = (
    key: string,
    { sign, digits, of }: { sign: string; digits: number; of: (round: Shown['rounds'][number]) => number },
  ) =>
    shown.map(({ name, head, rounds }): [string, Figure<number>] => [
      `${name}${key}`,
      { head: `${head} ${sign}`, digits, of: (i: number) => rounds[i] && of(rounds[i]) },
    ]);
  const { columns, rows } = tabulate(
    [...knowing.keys()],
    {
      round: { head: 'round', of: (i) => i + 1 },
      ...Object.fromEntries([
        ...columnsOf('Share', { sign: '%', digits: 1, of: percent }),
        ...columnsOf('Total', { sign: 'Σ', digits: 0, of: ({ total }) => total }),
      ]),
    },
    (i) => ({ label: `${i + 1}` }),
  );
  return {
    title: `focus: ${formatNumber(urls)} URLs on ${web.sites.length} sites, ${formatNumber(articles)} articles, ${formatNumber(budget)} URLs a round`,
    columns,
    rows,
    notes: [
      'Useful are articles, each the first time that it is fetched; %: of what a round fetched; Σ: in all rounds so far.',
      ...notesOf(web, crawls, knowing, articles),
    ],
    chart: {
      title: 'A crawl that is after articles',
      panels: [
        {
          title: '% of a round that is useful',
          digits: 0,
          better: 'more',
          lines: { series: lines(percent), xTitle: 'round' },
        },
        {
          title: 'useful pages so far',
          better: 'more',
          lines: { series: lines((round) => round.total), xTitle: 'round' },
        },
      ],
    },
    samples: { ...Object.fromEntries(crawls), knowing },
  };
}

function notesOf(
  web: NewsWeb,
  crawls: ReadonlyMap<string, Crawled>,
  knowing: readonly { readonly total: number }[],
  articles: number,
): string[] {
  const notes: string[] = [];
  const rules = crawls.get('rules');
  if (rules) {
    const judged = rules.rounds.filter(({ round }) => round >= FROM && round <= TO);
    const short = judged.filter((round) => percent(round) < 100 * ASKED_SHARE);
    const least = Math.min(...judged.map(percent));
    const where = short.map(({ round }) => round).join(', ');
    notes.push(
      `With rules, from round ${FROM} to ${TO} at least ${least.toFixed(1)} % of a round is useful; asked for are ${100 * ASKED_SHARE} %${where && `, missed in round ${where}`}.`,
    );
  }
  const proposals = crawls.get('proposals');
  if (proposals) {
    const [ours, theirs] = [proposals.rounds.at(-1)?.total ?? 0, knowing.at(-1)!.total];
    notes.push(
      `With proposals ${((100 * ours) / theirs).toFixed(1)} % of what the crawler reaches that knows all; asked for are ${100 * ASKED_PART} %.`,
    );
    const generated = proposals.rules.filter(({ origin, state }) => origin === 'generated' && state === 'active');
    const lost = articles - reachableArticles(web, proposals.rules).size;
    notes.push(
      `${generated.length} rules were proposed and applied; ${lost} of ${formatNumber(articles)} articles cannot be reached any more because of them.`,
    );
  }
  return notes;
}

/** Patterns of article URLs, as a user would write them after a look at a few articles of a site. */
const PATTERNS: Readonly<Record<NewsSite['style'], string>> = {
  blog: String.raw`^https?://[^/]+/20\d\d/\d\d/\d\d/[^/]+/$`,
  portal: String.raw`^https?://[^/]+/(${SECTIONS.join('|')})/[^/?]+-\d+$`,
  classic: String.raw`/story\.php\?id=\d+$`,
};

function usefulRules(sites: readonly NewsSite[]): NewRule[] {
  return sites.map(({ style, domain }) => ({
    kind: 'relevant',
    scope: `domain:${domain}`,
    pattern: { regex: PATTERNS[style] },
  }));
}

interface FocusJob {
  readonly directory: string;
  readonly scale: number;
  readonly rounds: number;
  readonly budget: number;
  readonly useful: boolean;
  readonly propose?: number;
}

interface FocusRound {
  readonly round: number;
  readonly fetched: number;
  /** Number of articles. Each counts when it is first fetched under any of its URLs. */
  readonly useful: number;
  readonly total: number;
  /** Number of requested URLs by kind. URLs with a session, and articles that were fetched before, count separately. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly proposing: number;
  readonly added: number;
}

/** Crawls the made-up news web in rounds of equal size. Returns all rules at the end. */
export async function crawlNews(job: FocusJob, report: (round: FocusRound) => void): Promise<readonly Rule[]> {
  const web = newsWeb(job.scale);
  const seen = new Set<string>();
  let kinds = new Map<string, number>();
  await using crawl = await openContext({
    table: `level:${job.directory}`,
    settings: {
      'fetcher.serverDelay': 0,
      'fetcher.threadsPerQueue': 64,
      'fetcher.threadsFetch': 64,
      // Otherwise a round may fetch more pages than it selected.
      'fetcher.maxRedirects': 0,
    },
    // The names may belong to real hosts, so there is no lookup.
    lookup: () => Promise.resolve(['127.0.0.1']),
    plugins: [
      webWithoutNetwork('news-web', (host, path) => {
        const url = `http://${host}${path}`;
        note(web.answerOf(url));
        return web.fetch(url);
      }),
    ],
  });
  if (job.useful) await rules.add(crawl, usefulRules(web.sites));
  for (let round = 1; round <= job.rounds; round++) report(await crawlRound(round));
  return (await rules.list(crawl)).rules;

  async function crawlRound(round: number): Promise<FocusRound> {
    kinds = new Map();
    const begin = performance.now();
    await jobs.crawl(crawl, { seeds: round === 1 ? web.seeds : [], stay: 'domain', rounds: 1, topN: job.budget });
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

  async function proposeRules(): Promise<number> {
    const { added } = await rules.propose(crawl, { apply: true });
    // For www rules: moves known pages to the other form.
    await rules.apply(crawl);
    return added?.added.length ?? 0;
  }

  function note(answer: NewsAnswer | undefined): void {
    let kind: string = answer?.kind ?? 'nothing';
    if (answer?.article !== undefined) {
      if (seen.has(answer.article)) kind = 'again';
      seen.add(answer.article);
    } else if (answer?.hasSession) kind = 'session';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
}
