// Indexes the manuals, asks for known items by three formulas, and says at which place each answer came.
import { mkdir, rm } from 'node:fs/promises';
import { createWords, openIndexReader, openSqliteWriter, type IndexWeights } from '../../packages/index/index.js';
import { loadSettings, rowKeyOf } from '../../packages/webcrawl/index.js';
import { weightsOf } from '../../packages/search/index.js';
import { knownItems, type KnownItem } from '../lib/known-items.js';
import { madeManual } from '../lib/made-manual.js';
import { manualPages, type ManualPage } from '../lib/manual-pages.js';
import { createFormulas, type Formula } from '../lib/relevance-formulas.js';
import { linkRanks } from '../lib/link-ranks.js';
import { givenArgument, reply } from '../lib/worker.js';

/** What to measure. */
export interface RelevanceJob {
  readonly folder: string;
  readonly site: 'docs' | 'synthetic';
  /** One in so many pages of the manuals. */
  readonly part: number;
  /** Queries of each kind and language. */
  readonly queries: number;
}

/** The place of the answer to one query, by each formula; 0 where it is not among the first ten. */
export interface Asked extends Omit<KnownItem, 'answers'> {
  readonly answer: string;
  readonly places: Readonly<Record<Formula, number>>;
  /** What ours has first. */
  readonly first: string;
}

/** What was found. */
export interface RelevanceFigures {
  readonly pages: Readonly<Record<string, number>>;
  readonly sharedTitles: number;
  readonly sameText: number;
  readonly otherScript: number;
  readonly weights: IndexWeights;
  readonly asked: readonly Asked[];
}

const BATCH = 500;
const SEEN = 10;
/** By which a weight must be better to be taken: less is chance. */
const LEAST_GAIN = 0.002;
const { folder, site, part, queries } = givenArgument<RelevanceJob>();
const pages: ManualPage[] = [];
for await (const page of site === 'docs' ? manualPages(part) : madeManual(queries * 4)) pages.push(page);
const words = await createWords();
const { items, heldOut, sharedTitles, sameText, otherScript } = knownItems(pages, words, queries);
const ranks = linkRanks(pages);
await index();

const { settings } = loadSettings();
const reader = openIndexReader({ folder, words: words.name, timeLimit: 60_000, entry: undefined });
const info = await reader.info();
const formulas = createFormulas({
  pages,
  ranks,
  words,
  reader,
  info,
  commonWords: settings.search.commonWords,
});
const weights = await chooseWeights();
const asked: Asked[] = [];
for (const item of items) {
  const found = await formulas.all(item.query, weights);
  const places = { body: placeOf(item, found.body), njnu: placeOf(item, found.njnu), ours: placeOf(item, found.ours) };
  const { answers, ...rest } = item;
  asked.push({ ...rest, answer: answers[0]!, places, first: found.ours[0] ?? '' });
}
const counts: Record<string, number> = {};
for (const { language } of pages) counts[language] = (counts[language] ?? 0) + 1;
await reader.close();
reply({ pages: counts, sharedTitles, sameText, otherScript, weights, asked } satisfies RelevanceFigures);

/** Puts the pages into an index, with the anchors of links to them but those that are held out. */
async function index(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const anchors = new Map<string, Set<string>>();
  for (const { links } of pages) {
    for (const { url, anchor } of links) {
      if (anchor.trim() === '' || heldOut.get(url) === anchor.trim()) continue;
      anchors.set(url, (anchors.get(url) ?? new Set()).add(anchor.trim()));
    }
  }
  const writer = await openSqliteWriter(folder, 'bench', words);
  for (let at = 0; at < pages.length; at += BATCH) {
    await writer.apply(
      pages.slice(at, at + BATCH).map(({ url, title, headings, text, language }) => ({
        type: 'put' as const,
        document: {
          key: rowKeyOf(url),
          url,
          title,
          headings: headings.join('\n'),
          anchors: [...(anchors.get(url) ?? [])].slice(0, 50).join('\n'),
          text,
          language,
          fetchedAt: 0,
          modifiedTime: 0,
          rank: ranks.get(url) ?? 0,
          simhash: '',
          fingerprint: url,
        },
      })),
    );
  }
  await writer.markWhole();
  await writer.close();
}

/** Weights by which the half of the queries that is for choosing does best: one after the other is changed, each once. */
async function chooseWeights(): Promise<IndexWeights> {
  let best: IndexWeights = weightsOf(settings);
  const some = items.filter(({ isForChoosing }) => isForChoosing);
  let most = await scoreOf(best);
  const tried: Readonly<Partial<Record<keyof IndexWeights, readonly number[]>>> = {
    language: [0, 1, 2, 4],
    title: [2, 4, 8, 16, 32],
    headings: [1, 2, 4, 8],
    anchors: [1, 3, 6, 12],
    url: [0.5, 1, 2, 4],
    rank: [0, 0.1, 0.25, 0.5, 1],
  };
  for (const [name, values] of Object.entries(tried) as [keyof IndexWeights, readonly number[]][]) {
    for (const value of values) {
      if (value === best[name]) continue;
      const other = { ...best, [name]: value };
      const score = await scoreOf(other);
      if (score > most + LEAST_GAIN) [best, most] = [other, score];
    }
  }
  return best;

  async function scoreOf(given: IndexWeights): Promise<number> {
    let sum = 0;
    for (const item of some) {
      const place = placeOf(item, await formulas.ours(item.query, given));
      if (place > 0) sum += 1 / place;
    }
    return sum / Math.max(1, some.length);
  }
}

/** The place among ten pages of different texts: one that has the text of a page before it takes none. */
function placeOf({ answers }: KnownItem, urls: readonly string[]): number {
  return urls.slice(0, SEEN).findIndex((url) => answers.includes(url)) + 1;
}
