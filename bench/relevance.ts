/** Known-item search over real manuals: the position of the page that a query was made from, by three formulas. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { KINDS, NAME_KINDS } from './lib/known-items.js';
import { NAMED_SETS, type NamedSet } from './lib/named-pages.js';
import { MANUAL_LANGUAGES } from './lib/manual-pages.js';
import { FORMULAS, type Formula } from './lib/relevance-formulas.js';
import { runWorker } from './lib/worker.js';
import type { Asked, RelevanceFigures, RelevanceJob } from './workers/relevance-job.js';

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
/** Number of worst queries of each kind to show. */
const WORST = 4;

/** `relevance`: mean reciprocal rank of known items. */
export const relevanceBench: Bench = {
  about:
    'known-item search over manuals in five languages, and for names of programs: MRR@10 and success@1 of three formulas',
  names: ['manuals', 'named'],
  sites: ['docs', 'synthetic'],
  rounds: 1,
  run,
};

async function run({ cache, scale, site, only, say }: BenchOptions): Promise<BenchResult> {
  const folder = join(cache, 'relevance');
  const job: RelevanceJob = {
    folder,
    site: site === 'docs' ? 'docs' : 'synthetic',
    isNamedOnly: only?.includes('manuals') === false,
    part: Math.max(1, Math.round(1 / scale)),
    queries: scaled(QUERIES, scale, 4),
  };
  say(site === 'docs' ? 'the manuals' : 'made-up pages');
  const figures = await runWorker<RelevanceFigures>(new URL('workers/relevance-job.js', import.meta.url), job);
  await rm(folder, { recursive: true, force: true });
  return resultOf(figures);
}

/** The table, the picture and the notes. */
export function resultOf(figures: RelevanceFigures): BenchResult {
  const { pages, weights, sharedTitles, sameText, otherScript } = figures;
  const reported = figures.asked.filter(({ isForChoosing }) => !isForChoosing);
  const rows = MANUAL_LANGUAGES.flatMap((language) => KINDS.map((kind) => rowOf(reported, language, kind)));
  if (pages['rust']) rows.push(...NAME_KINDS.map((kind) => rowOf(reported, 'rust', kind)));
  for (const set of NAMED_SETS) if (pages[set]) rows.push(rowOf(reported, set, 'named'));
  const { title, headings, anchors, url, text, rank, language } = weights;
  return {
    title: `relevance: the place of known pages among ${sum(Object.values(pages)).toLocaleString('en-US')}`,
    columns: [
      { key: 'language', head: 'language' },
      { key: 'kind', head: 'query' },
      { key: 'queries', head: 'queries' },
      ...FORMULAS.flatMap((formula) => [
        { key: `${formula}Mrr`, head: `${LABELS[formula]}: MRR@10`, digits: 3 },
        { key: `${formula}First`, head: 'first', digits: 3 },
      ]),
    ],
    rows: rows.filter(({ queries }) => queries > 0),
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

function rowOf(asked: readonly Asked[], language: Asked['language'], kind: Asked['kind']) {
  const some = asked.filter((one) => one.language === language && one.kind === kind);
  const figures = FORMULAS.flatMap((formula) => [
    [`${formula}Mrr`, meanReciprocal(some, formula)],
    [
      `${formula}First`,
      some.length === 0 ? 0 : some.filter(({ places }) => places[formula] === 1).length / some.length,
    ],
  ]);
  return {
    language: NAMES[language],
    kind,
    queries: some.length,
    ...(Object.fromEntries(figures) as Record<string, number>),
  };
}

function namedNote(asked: readonly Asked[], set: NamedSet, pages: number): string {
  const places = asked.filter(({ language }) => language === set).map((one) => one.places.ours);
  const upTo = (most: number): number => places.filter((place) => place > 0 && place <= most).length;
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
    return late.slice(-WORST).map(({ query, language, places, answer, first }) => {
      const place = places.ours === 0 ? 'not among ten' : `at ${places.ours}`;
      return `${kind}, ${language}: "${query}" has ${answer} ${place}; first is ${first || 'none'}.`;
    });
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
