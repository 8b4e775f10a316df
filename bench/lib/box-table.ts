import type { BenchTable } from './bench.js';
import type { BoxScore } from './box-score.js';
import type { ManualSet } from './boxed-manuals.js';

/** The score of a manual. */
export interface BoxSample extends BoxScore {
  readonly name: string;
  readonly set: ManualSet;
  /** The number of its pages that were left out, since they have no content box. */
  readonly withoutBox: number;
  readonly cpuSeconds: number;
  /** The differences between the Markdown of a page and its main content, for each page with any. Absent: not compared. */
  readonly differing?: readonly string[];
}

/** The table of all manuals: the rows of each set end with the means of its shares and the sums of its counts. */
export function boxTable(title: string, samples: readonly BoxSample[]): BoxTable {
  const sets = ['tuning', 'held out', 'marked'] as const;
  const rows = sets.flatMap((set) => {
    const ofSet = samples.filter((sample) => sample.set === set).map(boxRow);
    return ofSet.length === 0 ? [] : [...ofSet, totalOf(set, ofSet)];
  });
  const counts = ['headings', 'pres', 'tables'].flatMap((key) => {
    const head = key === 'pres' ? 'pre' : key;
    return [
      { key, head },
      { key: `${key}Lost`, head: 'lost' },
    ];
  });
  return {
    title,
    columns: [
      { key: 'name', head: 'manual' },
      { key: 'set', head: 'set' },
      { key: 'pages', head: 'pages' },
      { key: 'withoutBox', head: 'without box' },
      { key: 'words', head: 'words' },
      { key: 'kept', head: 'kept', digits: 4 },
      { key: 'outside', head: 'outside', digits: 4 },
      ...counts,
      ...(samples.some(({ differing }) => differing) ? [{ key: 'differing', head: 'pages that differ' }] : []),
      { key: 'cpuMs', head: 'CPU ms a page', digits: 1 },
    ],
    rows,
  };
}

/** The end of the name of a row with the means and sums of a set. */
export const TOTAL = ': means and sums';

/** Its rows have all figures of a manual, or of a set. */
export interface BoxTable extends BenchTable {
  readonly rows: readonly BoxRow[];
}

type BoxRow = Record<(typeof MEANS)[number] | (typeof SUMS)[number], number> & Record<'name' | 'set', string>;

const MEANS = ['kept', 'outside', 'cpuMs'] as const;
const SUMS = [
  'pages',
  'withoutBox',
  'words',
  'headings',
  'headingsLost',
  'pres',
  'presLost',
  'tables',
  'tablesLost',
  'differing',
] as const;

function boxRow({ wordsKept, found, cpuSeconds, differing, ...sample }: BoxSample): BoxRow {
  const kept = wordsKept / sample.words;
  const outside = found === 0 ? 0 : (found - wordsKept) / found;
  const cpuMs = (cpuSeconds * 1000) / sample.pages;
  return { ...sample, kept, outside, cpuMs, differing: differing?.length ?? 0 };
}

function totalOf(set: string, rows: readonly BoxRow[]): BoxRow {
  const sum = (key: (typeof MEANS)[number] | (typeof SUMS)[number]): number =>
    rows.reduce((total, row) => total + row[key], 0);
  const means = MEANS.map((key) => [key, sum(key) / rows.length] as const);
  const sums = SUMS.map((key) => [key, sum(key)] as const);
  return { ...Object.fromEntries([...means, ...sums]), name: `${set}${TOTAL}`, set } as BoxRow;
}
