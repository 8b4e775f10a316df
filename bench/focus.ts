/**
 * A crawl for articles on a made-up web of 40 news sites with 500,000 URLs, a tenth of them articles: with default scoring, with rules on
 * relevance, with filters that the crawler proposes in addition, and beside a crawler that knows the whole web.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crawlKnowing } from './lib/all-knowing.js';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import type { Series } from './lib/chart.js';
import { countsOf } from './lib/news-links.js';
import { reachableArticles } from './lib/news-reach.js';
import { newsWeb, type NewsWeb } from './lib/news-web.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { FocusJob, FocusReply, FocusRound } from './workers/focus-job.js';

/** At full size. `FEWEST` is needed for the checks below. */
const [ROUNDS, FEWEST] = [20, 8];
const BUDGET = 2_000;
/** Rules are proposed and applied once in this number of rounds. */
const PROPOSE = 3;
/** The goal with rules: this share of articles in each round from `FROM` to `TO`. In the last rounds few linked articles are left. */
const [ASKED_SHARE, FROM, TO] = [0.8, 5, 18];
/** The goal with proposals: this part of the articles of the all-knowing crawler. */
const ASKED_PART = 0.92;

/** The crawls to compare, and their options. */
const CRAWLS = [
  { name: 'stock', head: 'stock', label: 'stock scoring', useful: false },
  { name: 'rules', head: 'rules', label: 'rules on what is useful', useful: true },
  { name: 'proposals', head: 'proposals', label: 'the same, and proposals', useful: true, propose: PROPOSE },
] as const;
const KNOWING = { head: 'all-knowing', label: 'a crawler that knows all' } as const;

/** `focus`: the share of articles among the fetched pages. */
export const focusBench: Bench = {
  about: 'a made-up web of 40 news sites: the share of articles with stock scoring, with rules, with proposals',
  names: CRAWLS.map(({ name }) => name),
  rounds: 1,
  run,
};

interface Crawled {
  readonly rounds: FocusRound[];
  readonly rules: FocusReply['rules'];
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const { scale, cache, say } = options;
  const web = newsWeb(scale);
  const budget = scaled(BUDGET, scale, 60);
  const count = scaled(ROUNDS, scale, FEWEST);
  const knowing = sums(crawlKnowing(web, count, budget));
  const crawls = new Map<string, Crawled>();
  for (const { name, useful, ...given } of CRAWLS.filter(({ name }) => isWanted(options, name))) {
    const directory = join(cache, `focus-${name}`);
    await rm(directory, { recursive: true, force: true });
    const job: FocusJob = { directory, scale, rounds: count, budget, useful, ...given };
    const rounds: FocusRound[] = [];
    const worker = new URL('workers/focus-job.js', import.meta.url);
    const { rules } = await runWorker<FocusReply>(worker, job, ({ round }) => {
      if (!round) return;
      rounds.push(round);
      say(`${name}, round ${round.round}: ${round.useful} of ${round.fetched}, ${round.seconds.toFixed(1)} s`);
    });
    await rm(directory, { recursive: true, force: true });
    crawls.set(name, { rounds, rules });
  }
  return resultOf(web, budget, crawls, knowing);
}

/** Adds running totals of articles to the rounds. */
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
  const urls = web.sites.flatMap((site) => Object.values(countsOf(site, web.sites)));
  const total = urls.reduce((sum, n) => sum + n, 0);
  const articles = web.sites.reduce((sum, site) => sum + site.articles, 0);
  return {
    title: `focus: ${total.toLocaleString('en-US')} URLs on ${web.sites.length} sites, ${articles.toLocaleString('en-US')} articles, ${budget.toLocaleString('en-US')} URLs a round`,
    columns: [
      { key: 'round', head: 'round' },
      ...shown.map(({ name, head }) => ({ key: `${name}Share`, head: `${head} %`, digits: 1 })),
      ...shown.map(({ name, head }) => ({ key: `${name}Total`, head: `${head} Σ` })),
    ],
    rows: knowing.map((_, i): Row => {
      const cells = shown.flatMap(({ name, rounds }) => [
        [`${name}Share`, rounds[i] && percent(rounds[i])] as const,
        [`${name}Total`, rounds[i]?.total] as const,
      ]);
      return { round: i + 1, ...Object.fromEntries(cells) };
    }),
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
      `${generated.length} rules were proposed and applied; ${lost} of ${articles.toLocaleString('en-US')} articles cannot be reached any more because of them.`,
    );
  }
  return notes;
}
