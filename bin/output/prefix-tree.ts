import type { PrefixNode } from '../../packages/webcrawl/index.js';
import { bytes, duration, number, oneLine } from './output.js';

/** How a tree of prefixes is shown. */
export interface PrefixTreeOptions {
  /** Characters of a line. */
  readonly columns: number;
  /** Leave out what has fewer rows. Absent: what is so small that {@link MOST_LINES} are not passed, and those beyond as many lines. */
  readonly min?: number;
}

/** What is shown of how many. */
export interface PrefixTree {
  /** Prefixes with fewer rows are not shown. */
  readonly min: number;
  /** Prefixes that are, and that are not. */
  readonly shown: number;
  readonly hidden: number;
  /** Head line and tree, in parts; they end with a line break. */
  readonly text: AsyncIterable<string>;
}

/** Prefixes that fit into what a person reads. */
const MOST_LINES = 100;
/** Columns of the prefix itself, at least. */
const LEAST_LABEL = 24;
/** Columns of it at most, so that what belongs together stays near. */
const MOST_LABEL = 60;
const BAR = 10;
const STEPS = Array.from({ length: 46 }, (_, i) => [1, 2, 5][i % 3]! * 10 ** Math.floor(i / 3));
const INDENT = 2;

interface Column {
  readonly head: string;
  readonly width: number;
  readonly text: (node: PrefixNode, most: number) => string;
}

/** In the order in which they are left out where the line is short, the last first. */
const COLUMNS: readonly Column[] = [
  { head: 'rows', width: 10, text: ({ rows }) => number(rows) },
  { head: '', width: BAR, text: barOf },
  { head: 'fetched', width: 7, text: (node) => share(fetchedOf(node), node.rows) },
  { head: 'fit', width: 4, text: ({ fit, rows }) => share(fit, rows) },
  { head: 'dup', width: 4, text: ({ duplicates, rows }) => share(duplicates, rows) },
  { head: 'err', width: 4, text: ({ errors, rows }) => share(errors, rows) },
  { head: 'size', width: 11, text: (node) => bytes(node.bytes) },
  { head: 'time', width: 11, text: ({ fetchMs }) => duration(fetchMs / 1000) },
];

/**
 * Prefixes as a tree, one to a line, with a bar of its rows: full as far as they are fetched. It fits the width, and holds no more than a line.
 * @param nodes reads them; it is called twice
 */
export async function prefixTree(
  nodes: () => AsyncIterable<PrefixNode>,
  { columns, min }: PrefixTreeOptions,
): Promise<PrefixTree> {
  const { most, ...sizes } = await sizesOf(nodes(), min);
  const lines = linesOf(nodes, sizes.min, most, columns);
  if (min !== undefined || sizes.shown <= MOST_LINES) return { ...sizes, text: lines };
  const beyond = sizes.shown - MOST_LINES;
  return { ...sizes, shown: MOST_LINES, hidden: sizes.hidden + beyond, text: first(MOST_LINES + 1, lines) };
}

async function* linesOf(
  nodes: () => AsyncIterable<PrefixNode>,
  min: number,
  most: number,
  width: number,
): AsyncGenerator<string> {
  const columns = [...COLUMNS];
  const widthOf = (): number => columns.reduce((sum, column) => sum + column.width + 2, 0);
  while (columns.length > 1 && width - widthOf() < LEAST_LABEL) columns.pop();
  const labelWidth = Math.max(1, Math.min(MOST_LABEL, width - widthOf() - 1));
  const line = (label: string, cells: readonly string[]): string => {
    const padded = cells.map((cell, i) =>
      columns[i]!.text === barOf ? cell.padEnd(BAR) : cell.padStart(columns[i]!.width),
    );
    return `${[cut(label, labelWidth).padEnd(labelWidth), ...padded].join('  ').trimEnd()}\n`;
  };
  yield line(
    'prefix',
    columns.map(({ head }) => head),
  );
  for await (const { label, node } of labelled(nodes(), min)) {
    yield line(
      label,
      columns.map(({ text }) => text(node, most)),
    );
  }
}

interface Labelled {
  readonly label: string;
  readonly node: PrefixNode;
}

/** Each with what it adds to the one above it. One whose rows are all in a single prefix below it is on the line of that one. */
async function* labelled(nodes: AsyncIterable<PrefixNode>, min: number): AsyncGenerator<Labelled> {
  const above: PrefixNode[] = [];
  let held: Labelled | undefined;
  for await (const node of nodes) {
    if (node.rows < min) continue;
    const last = above.at(-1);
    if (held && last && isBelow(node, last) && node.parameter === undefined && node.rows === last.rows) {
      held = { label: held.label + node.prefix.slice(last.prefix.length), node };
      above[above.length - 1] = node;
      continue;
    }
    if (held) yield held;
    while (above.length > 0 && !isBelow(node, above.at(-1)!)) above.pop();
    const text = above.length === 0 ? node.origin + node.prefix : node.prefix.slice(above.at(-1)!.prefix.length);
    const name = node.parameter === undefined ? text : `?${node.parameter}=`;
    held = { label: ' '.repeat(INDENT * above.length) + oneLine(name), node };
    if (node.parameter === undefined) above.push(node);
    else {
      yield held;
      held = undefined;
    }
  }
  if (held) yield held;
}

const isBelow = (node: PrefixNode, above: PrefixNode): boolean =>
  node.origin === above.origin && node.prefix.startsWith(above.prefix);

/** How large the prefixes are: the least that is shown, found in steps of 1, 2, 5, 10, and so on where it is not given. */
async function sizesOf(
  nodes: AsyncIterable<PrefixNode>,
  given?: number,
): Promise<Omit<PrefixTree, 'text'> & { readonly most: number }> {
  /** How many have so many rows, and fewer than the next step says. */
  const counts = STEPS.map(() => 0);
  let most = 1;
  let shown = 0;
  let hidden = 0;
  for await (const { rows } of nodes) {
    most = Math.max(most, rows);
    if (given !== undefined && rows < given) hidden += 1;
    else shown += 1;
    counts[STEPS.findLastIndex((step) => step <= rows)]! += 1;
  }
  if (given !== undefined) return { min: given, shown, hidden, most };
  let step = 0;
  // Where all are of one size they are not left out together.
  for (; shown > MOST_LINES && counts[step]! < shown; step++) {
    shown -= counts[step]!;
    hidden += counts[step]!;
  }
  return { min: STEPS[step]!, shown, hidden, most };
}

async function* first(count: number, lines: AsyncIterable<string>): AsyncGenerator<string> {
  let left = count;
  for await (const line of lines) {
    yield line;
    if (--left === 0) return;
  }
}

const fetchedOf = ({ statuses }: PrefixNode): number => (statuses.fetched ?? 0) + (statuses.notmodified ?? 0);

function share(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 1) return '<1%';
  if (percent > 99 && percent < 100) return '99%';
  return `${Math.round(percent)}%`;
}

function barOf(node: PrefixNode, most: number): string {
  const length = Math.max(1, Math.round((BAR * node.rows) / most));
  const full = Math.round((length * fetchedOf(node)) / node.rows);
  return '█'.repeat(full) + '░'.repeat(length - full);
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
