// Indexes the manuals, searches known items by three formulas, and reports the position of each answer.
import { mkdir, rm } from 'node:fs/promises';
import { createWords, openIndexReader, openSqliteWriter, type IndexWeights } from '../../packages/index/index.js';
import { loadSettings, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { weightsOf } from '../../packages/search/index.js';
import { knownItems, nameItems, type KnownItem } from '../lib/known-items.js';
import { madeManual } from '../lib/made-manual.js';
import { NAMED_SETS, namedPages } from '../lib/named-pages.js';
import { manualPages, rustPages, type ManualPage } from '../lib/manual-pages.js';
import { createFormulas, type Formula } from '../lib/relevance-formulas.js';
import { linkRanks } from '../lib/link-ranks.js';
import { givenArgument, reply } from '../lib/worker.js';

/** The parameters. */
export interface RelevanceJob {
  readonly folder: string;
  readonly site: 'docs' | 'synthetic';
  /** Measure only names: the queries of bench/named-pages.json, and the names of Rust. */
  readonly isNamedOnly: boolean;
  /** One page in this number is used. */
  readonly part: number;
  /** Number of queries of each kind and language. */
  readonly queries: number;
}

/** The position of the answer to one query by each formula; 0: it is not among the first ten. */
export interface Asked extends Omit<KnownItem, 'answers'> {
  readonly answer: string;
  readonly places: Readonly<Record<Formula, number>>;
  /** The first hit of our formula. */
  readonly first: string;
}

/** The results. */
export interface RelevanceFigures {
  readonly pages: Readonly<Record<string, number>>;
  /** Size of all indexes together. */
  readonly indexBytes: number;
  readonly sharedTitles: number;
  readonly sameText: number;
  readonly otherScript: number;
  readonly weights: IndexWeights;
  readonly asked: readonly Asked[];
}

const BATCH = 500;
const SEEN = 10;
/** Minimum gain for choosing another weight: a smaller one is chance. */
const LEAST_GAIN = 0.002;
const { folder, site, isNamedOnly, part, queries } = givenArgument<RelevanceJob>();
const pages: ManualPage[] = [];
const source = site === 'docs' ? manualPages(part) : madeManual(queries * 4);
if (!isNamedOnly) for await (const page of source) pages.push(page);
const words = await createWords();
const { items, heldOut, sharedTitles, sameText, otherScript } = knownItems(pages, words, queries);
const rust: ManualPage[] = [];
if (site === 'docs') for await (const page of rustPages(part)) rust.push(page);
const { settings } = loadSettings();
let weights: IndexWeights = weightsOf(settings);
const asked: Asked[] = [];
let indexBytes = 0;
if (pages.length > 0)
  await measure(pages, items, async (formulas) => {
    weights = await chooseWeights(formulas);
  });
if (rust.length > 0) await measure(rust, nameItems(rust, queries), () => Promise.resolve());
const counts: Record<string, number> = {};
for (const { language } of pages) counts[language] = (counts[language] ?? 0) + 1;
for (const set of site === 'docs' && part === 1 ? NAMED_SETS : []) {
  const named = await namedPages(set);
  counts[set] = named.pages.length;
  if (named.items.length > 0) await measure(named.pages, named.items, () => Promise.resolve());
}
reply({
  pages: { ...counts, rust: rust.length },
  indexBytes,
  sharedTitles,
  sameText,
  otherScript,
  weights,
  asked,
} satisfies RelevanceFigures);

/** Indexes pages, and runs the queries. */
async function measure(
  some: readonly ManualPage[],
  known: readonly KnownItem[],
  before: (formulas: ReturnType<typeof createFormulas>) => Promise<void>,
): Promise<void> {
  const ranks = linkRanks(some);
  await index(some, ranks);
  const reader = openIndexReader({ folder, words: words.name, timeLimit: 60_000, entry: undefined });
  const info = await reader.info();
  indexBytes += info.bytes;
  const { commonWords } = settings.search;
  const formulas = createFormulas({ pages: some, ranks, words, reader, info, commonWords });
  await before(formulas);
  for (const item of known) {
    const { body, njnu, ours } = await formulas.all(item.query, weights);
    const places = { body: placeOf(item, body), njnu: placeOf(item, njnu), ours: placeOf(item, ours) };
    const { answers, ...rest } = item;
    asked.push({ ...rest, answer: answers[0]!, places, first: ours[0] ?? '' });
  }
  await reader.close();
}

/** Indexes pages, with the anchors of links to them, except those that are held out. */
async function index(some: readonly ManualPage[], ranks: ReadonlyMap<string, number>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const anchors = new Map<string, Set<string>>();
  for (const { links } of some) {
    for (const { url, anchor } of links) {
      if (anchor.trim() === '' || heldOut.get(url) === anchor.trim()) continue;
      anchors.set(url, (anchors.get(url) ?? new Set()).add(anchor.trim()));
    }
  }
  const writer = await openSqliteWriter(folder, 'bench', words);
  for (let at = 0; at < some.length; at += BATCH) {
    await writer.apply(
      some.slice(at, at + BATCH).map(({ url, title, headings, text, language }) => ({
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
          modifiedAt: 0,
          rank: ranks.get(url) ?? 0,
          fingerprint: url,
        },
      })),
    );
  }
  await writer.markWhole();
  await writer.close();
}

/** The weights with the best result on the half of the queries for choosing. Each weight is changed once, one after another. */
async function chooseWeights(formulas: ReturnType<typeof createFormulas>): Promise<IndexWeights> {
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

/** The position among ten pages of different texts: a page with the same text as one before it does not count. */
function placeOf({ answers }: KnownItem, urls: readonly string[]): number {
  return urls.slice(0, SEEN).findIndex((url) => answers.includes(url)) + 1;
}
