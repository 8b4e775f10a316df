/** Known-item search over real manuals: the position of the page that a query was made from, by three formulas. */
import { join } from 'node:path';
import { createWords, openIndexReader, openSqliteWriter, type IndexWeights } from '../packages/index/index.js';
import { weightsOf } from '../packages/search/index.js';
import { loadSettings, rowKeyOf } from '../packages/webcrawl/internal.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { inEmptyFolder } from './lib/folders.js';
import { KINDS, knownItems, NAME_KINDS, nameItems, type KnownItem } from './lib/known-items.js';
import { linkRanks } from './lib/link-ranks.js';
import { madeManual } from './lib/made-manual.js';
import { MANUAL_LANGUAGES, manualPages, rustPages, type ManualPage } from './lib/manual-pages.js';
import { NAMED_SETS, namedPages, type NamedSet } from './lib/named-pages.js';
import { createFormulas, FORMULAS, type Formula } from './lib/relevance-formulas.js';
import { formatNumber, tabulate, type Figure } from './lib/table.js';
import { runJob } from './lib/worker.js';

const QUERIES = 200;
const NAMES: Readonly<Record<Asked['language'], string>> = {
  en: 'English',
  zh: 'Chinese',
  ja: 'Japanese',
  ko: 'Korean',
  ru: 'Russian',
  rust: 'Rust',
  named: 'SQLite, Git, Python',
  'held out': 'PostgreSQL, Node (held out)',
};
const LABELS: Readonly<Record<Formula, string>> = { body: 'BM25 of the text', njnu: 'Retrieve NJNU', ours: 'webcrawl' };
const WORST_SHOWN = 4;

export const relevanceBench: Bench = {
  about:
    'known-item search over manuals in five languages, and for names of programs: MRR@10 and success@1 of three formulas',
  names: ['manuals', 'named'],
  sites: ['docs', 'synthetic'],
  rounds: 1,
  run,
};

async function run({ cache, scale, site, only, say }: BenchOptions): Promise<BenchResult> {
  const isSynthetic = site !== 'docs';
  say(isSynthetic ? 'made-up pages' : 'the manuals');
  return inEmptyFolder(join(cache, 'relevance'), async (folder) => {
    const job: RelevanceJob = {
      folder,
      isSynthetic,
      isNamedOnly: only?.includes('manuals') === false,
      part: Math.max(1, Math.round(1 / scale)),
      queries: scaled(QUERIES, scale, 4),
    };
    return resultOf(await runJob(import.meta.url, searchKnownItems, job));
  });
}

function resultOf(figures: Awaited<ReturnType<typeof searchKnownItems>>): BenchResult {
  const { pages, weights, sharedTitles, sameText, otherScript } = figures;
  const reported = figures.asked.filter(({ isForChoosing }) => !isForChoosing);
  const asked = (language: Asked['language'], kind: Asked['kind']) => ({
    language,
    kind,
    all: reported.filter((one) => one.language === language && one.kind === kind),
  });
  const groups = [
    ...MANUAL_LANGUAGES.flatMap((language) => KINDS.map((kind) => asked(language, kind))),
    ...NAME_KINDS.map((kind) => asked('rust', kind)),
    ...NAMED_SETS.map((set) => asked(set, 'named')),
  ];
  const { columns, rows } = tabulate(
    groups.filter(({ all }) => all.length > 0),
    {
      language: { head: 'language', of: ({ language }) => NAMES[language] },
      kind: { head: 'query', of: ({ kind }) => kind },
      queries: { head: 'queries', of: ({ all }) => all.length },
      ...Object.fromEntries(
        FORMULAS.flatMap((formula): [string, Figure<(typeof groups)[number]>][] => [
          [
            `${formula}Mrr`,
            { head: `${LABELS[formula]}: MRR@10`, digits: 3, of: ({ all }) => meanReciprocal(all, formula) },
          ],
          [`${formula}First`, { head: 'first', digits: 3, of: ({ all }) => shareOfFirst(all, formula) }],
        ]),
      ),
    },
    ({ language }) => ({ label: language }),
  );
  const { title, headings, anchors, url, text, rank, language } = weights;
  return {
    title: `relevance: the place of known pages among ${formatNumber(sum(Object.values(pages)))}`,
    columns,
    rows,
    notes: [
      `Pages: ${([...MANUAL_LANGUAGES, 'rust'] as const).map((language) => `${NAMES[language]} ${pages[language] ?? 0}`).join(', ')}; their indexes are ${(figures.indexBytes / 1e6).toFixed(1)} MB together.`,
      'A query is the words of a title, the text of a link to the page that the index does not hold, the four rarest words of a sentence that another page has too, or a piece of the text that no other text has: three words; six letters in a row of Chinese or Japanese, cut anywhere; two words of Korean without their last syllables. The page, or one with the same text, is the answer. A page that describes one name of the library of Rust is asked for by the parts of the name, as "hash map", and by the name.',
      `${sharedTitles} pages share their title with pages of other texts, so no title names them: these are not asked for. ${sameText} pages have the text of another: each of these counts as the answer. ${otherScript} queries had no letter of the script of their page, as parts were never translated: these are not asked either.`,
      `Weights: title ${title}, headings ${headings}, anchors ${anchors}, URL ${url}, text ${text}, rank ${rank}, language ${language}; chosen on one half of the queries, all figures are of the other.`,
      ...NAMED_SETS.flatMap((set) => (pages[set] ? [namedNote(reported, set, pages[set])] : [])),
      'All formulas are asked for pages that hold all words, or some where none does. That of Retrieve NJNU is the PageRank in relation to the mean, 0.5 for each hit in the title and 0.1 for each in the text.',
      ...worst(reported),
    ],
    chart: {
      title: 'MRR@10 of known-item search',
      panels: KINDS.map((kind) => ({
        title: kind,
        better: 'more' as const,
        bars: FORMULAS.map((formula) => ({
          label: LABELS[formula],
          value: meanReciprocal(
            reported.filter((one) => one.kind === kind),
            formula,
          ),
          ours: formula === 'ours',
        })),
      })),
    },
    samples: { ...figures, asked: figures.asked.map(lineOf) },
  };
}

/** A query on one line: its half, kind and language, the position of the answer by each formula (0: none), and its words. */
function lineOf({ isForChoosing, kind, language, places, query }: Asked): string {
  return [
    isForChoosing ? 'chosen-by' : 'reported',
    kind,
    language,
    ...FORMULAS.map((name) => places[name]),
    query,
  ].join(' ');
}

function shareOfFirst(asked: readonly Asked[], formula: Formula): number {
  return asked.filter(({ places }) => places[formula] === 1).length / asked.length;
}

function namedNote(asked: readonly Asked[], set: NamedSet, pages: number): string {
  const places = asked.filter(({ language }) => language === set).map((one) => one.places.ours);
  const upTo = (max: number): number => places.filter((place) => place > 0 && place <= max).length;
  return `A query of bench/named-pages.json names a page of ${NAMES[set]}, ${pages} pages: of ${places.length} pages ${upTo(1)} come first, ${upTo(3)} among the first three.`;
}

function meanReciprocal(asked: readonly Asked[], formula: Formula): number {
  if (asked.length === 0) return 0;
  return sum(asked.map(({ places }) => (places[formula] > 0 ? 1 / places[formula] : 0))) / asked.length;
}

/** For each kind, the queries with the lowest position of the answer, and their first hit. */
function worst(asked: readonly Asked[]): string[] {
  return [...KINDS, ...NAME_KINDS, 'named' as const].flatMap((kind) => {
    const late = asked.filter((one) => one.kind === kind && one.places.ours !== 1);
    late.sort((a, b) => (a.places.ours || Infinity) - (b.places.ours || Infinity));
    return late.slice(-WORST_SHOWN).map(({ query, language, places, answer, first }) => {
      const place = places.ours === 0 ? 'not among ten' : `at ${places.ours}`;
      return `${kind}, ${language}: "${query}" has ${answer} ${place}; first is ${first || 'none'}.`;
    });
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

interface RelevanceJob {
  readonly folder: string;
  readonly isSynthetic: boolean;
  /** Measure only names: the queries of bench/named-pages.json, and the names of Rust. */
  readonly isNamedOnly: boolean;
  readonly part: number;
  readonly queries: number;
}

interface Asked extends Omit<KnownItem, 'answers'> {
  readonly answer: string;
  readonly places: Readonly<Record<Formula, number>>;
  readonly first: string;
}

const BATCH = 500;
const MAX_PLACE = 10;
const MAX_ANCHORS = 50;
/** Minimum gain for choosing another weight: a smaller one is chance. */
const MIN_GAIN = 0.002;
const TRIED: Readonly<Partial<Record<keyof IndexWeights, readonly number[]>>> = {
  language: [0, 1, 2, 4],
  title: [2, 4, 8, 16, 32],
  headings: [1, 2, 4, 8],
  anchors: [1, 3, 6, 12],
  url: [0.5, 1, 2, 4],
  rank: [0, 0.1, 0.25, 0.5, 1],
};

export async function searchKnownItems({ folder, isSynthetic, isNamedOnly, part, queries }: RelevanceJob) {
  const pages: ManualPage[] = [];
  const source = isSynthetic ? madeManual(queries * 4) : manualPages(part);
  if (!isNamedOnly) for await (const page of source) pages.push(page);
  const words = await createWords();
  const { items, heldOut, ...excluded } = knownItems(pages, words, queries);
  const rust: ManualPage[] = [];
  if (!isSynthetic) for await (const page of rustPages(part)) rust.push(page);
  const { settings } = loadSettings();
  let weights: IndexWeights = weightsOf(settings);
  const asked: Asked[] = [];
  let indexBytes = 0;
  const counts: Record<string, number> = { rust: rust.length };
  for (const { language } of pages) counts[language] = (counts[language] ?? 0) + 1;

  if (pages.length > 0) {
    await measure(pages, items, async (formulas) => {
      const some = items.filter(({ isForChoosing }) => isForChoosing);
      weights = await chooseWeights(weights, async (given) => {
        const places: number[] = [];
        for (const item of some) places.push(placeOf(item, await formulas.ours(item.query, given)));
        return sum(places.map((place) => (place > 0 ? 1 / place : 0))) / Math.max(1, some.length);
      });
    });
  }
  if (rust.length > 0) await measure(rust, nameItems(rust, queries));
  for (const set of !isSynthetic && part === 1 ? NAMED_SETS : []) {
    const named = await namedPages(set);
    counts[set] = named.pages.length;
    if (named.items.length > 0) await measure(named.pages, named.items);
  }
  return { pages: counts, indexBytes, ...excluded, weights, asked };

  async function measure(
    some: readonly ManualPage[],
    known: readonly KnownItem[],
    before?: (formulas: ReturnType<typeof createFormulas>) => Promise<void>,
  ): Promise<void> {
    const ranks = linkRanks(some);
    await inEmptyFolder(folder, async () => {
      await index(some, ranks);
      const reader = openIndexReader({ folder, words: words.name, timeLimit: 60_000, entry: undefined });
      const info = await reader.info();
      indexBytes += info.bytes;
      const { commonWords } = settings.search;
      const formulas = createFormulas({ pages: some, ranks, words, reader, info, commonWords });
      await before?.(formulas);
      for (const item of known) {
        const { body, njnu, ours } = await formulas.all(item.query, weights);
        const places = { body: placeOf(item, body), njnu: placeOf(item, njnu), ours: placeOf(item, ours) };
        const { answers, ...rest } = item;
        asked.push({ ...rest, answer: answers[0]!, places, first: ours[0] ?? '' });
      }
      await reader.close();
    });
  }

  /** Indexes pages, with the anchors of links to them, except those that are held out. */
  async function index(some: readonly ManualPage[], ranks: ReadonlyMap<string, number>): Promise<void> {
    const anchors = new Map<string, Set<string>>();
    for (const { links } of some) {
      for (const { url, anchor } of links) {
        if (anchor.trim() === '' || heldOut.get(url) === anchor.trim()) continue;
        anchors.set(url, (anchors.get(url) ?? new Set()).add(anchor.trim()));
      }
    }
    const writer = await openSqliteWriter(folder, 'bench', words);
    for (let at = 0; at < some.length; at += BATCH) {
      const documents = some.slice(at, at + BATCH).map(({ url, title, headings, text, language }) => ({
        key: rowKeyOf(url),
        url,
        title,
        headings: headings.join('\n'),
        anchors: [...(anchors.get(url) ?? [])].slice(0, MAX_ANCHORS).join('\n'),
        text,
        language,
        fetchedAt: 0,
        modifiedAt: 0,
        rank: ranks.get(url) ?? 0,
        fingerprint: url,
      }));
      await writer.apply(documents.map((document) => ({ type: 'put', document })));
    }
    await writer.markWhole();
    await writer.close();
  }
}

async function chooseWeights(
  given: IndexWeights,
  scoreOf: (weights: IndexWeights) => Promise<number>,
): Promise<IndexWeights> {
  let best = given;
  let bestScore = await scoreOf(best);
  for (const [name, values] of Object.entries(TRIED) as [keyof IndexWeights, readonly number[]][]) {
    for (const value of values) {
      if (value === best[name]) continue;
      const other = { ...best, [name]: value };
      const score = await scoreOf(other);
      if (score > bestScore + MIN_GAIN) [best, bestScore] = [other, score];
    }
  }
  return best;
}

/** The position among ten pages of different texts: a page with the same text as one before it does not count. */
function placeOf({ answers }: KnownItem, urls: readonly string[]): number {
  return urls.slice(0, MAX_PLACE).findIndex((url) => answers.includes(url)) + 1;
}
