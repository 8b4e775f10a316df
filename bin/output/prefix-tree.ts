import type { PrefixNode } from '../../packages/webcrawl/internal.js';
import { shortened } from './table.js';
import { bytes, duration, number, oneLine } from './output.js';

interface PrefixTreeOptions {
  readonly columns: number;
  /**
   * Minimum number of rows of a prefix that is shown. Absent: the smallest prefixes are omitted until at most {@link MAX_LINES} lines
   * remain.
   */
  readonly min?: number;
}

interface PrefixTree {
  readonly min: number;
  /** Number of prefixes that are shown. `hidden` is the number of all other prefixes. */
  readonly shown: number;
  readonly hidden: number;
  /** The first line and the tree, in parts. Each part ends with a line break. */
  readonly text: AsyncIterable<string>;
}

/** Maximum number of prefixes that a person can read at once. */
const MAX_LINES = 100;
const MIN_LABEL_CHARACTERS = 24;
/** Wider labels would have their figures too far away. */
const MAX_LABEL_CHARACTERS = 60;
const BAR = 10;
const STEPS = Array.from({ length: 46 }, (_, i) => [1, 2, 5][i % 3]! * 10 ** Math.floor(i / 3));
const INDENT = 2;

interface Column {
  readonly head: string;
  readonly width: number;
  readonly text: (node: PrefixNode, most: number) => string;
}

/** The columns of the tree. On a narrow terminal, columns are left out from the end of this list. */
const COLUMNS: readonly Column[] = [
  { head: 'rows', width: 10, text: ({ rows }) => number(rows) },
  { head: '', width: BAR, text: barOf },
  { head: 'fetched', width: 7, text: (node) => share(fetchedOf(node), node.rows) },
  { head: 'relevant', width: 8, text: ({ relevant, rows }) => share(relevant, rows) },
  { head: 'dup', width: 4, text: ({ duplicates, rows }) => share(duplicates, rows) },
  { head: 'err', width: 4, text: ({ errors, rows }) => share(errors, rows) },
  { head: 'size', width: 11, text: (node) => bytes(node.bytes) },
  { head: 'time', width: 11, text: ({ fetchMs }) => duration(fetchMs / 1000) },
];

/**
 * Yields prefixes as a tree, one on each line. Each has a bar for its rows, and the filled part of the bar is for fetched rows. Lines fit
 * the width. Memory contains one line at a time.
 * @param nodes reads the prefixes; it is called twice
 */
export async function prefixTree(
  nodes: () => AsyncIterable<PrefixNode>,
  { columns, min }: PrefixTreeOptions,
): Promise<PrefixTree> {
  const { most, ...sizes } = await sizesOf(nodes(), min);
  const lines = linesOf(nodes, sizes.min, most, columns);
  if (min !== undefined || sizes.shown <= MAX_LINES) return { ...sizes, text: lines };
  const beyond = sizes.shown - MAX_LINES;
  return { ...sizes, shown: MAX_LINES, hidden: sizes.hidden + beyond, text: first(MAX_LINES + 1, lines) };
}

async function* linesOf(
  nodes: () => AsyncIterable<PrefixNode>,
  min: number,
  most: number,
  width: number,
): AsyncGenerator<string> {
  const columns = [...COLUMNS];
  const widthOf = (): number => columns.reduce((sum, column) => sum + column.width + 2, 0);
  while (columns.length > 1 && width - widthOf() < MIN_LABEL_CHARACTERS) columns.pop();
  const labelWidth = Math.max(1, Math.min(MAX_LABEL_CHARACTERS, width - widthOf() - 1));
  const line = (label: string, cells: readonly string[]): string => {
    const padded = cells.map((cell, i) =>
      columns[i]!.text === barOf ? cell.padEnd(BAR) : cell.padStart(columns[i]!.width),
    );
    return `${[shortened(label, labelWidth).padEnd(labelWidth), ...padded].join('  ').trimEnd()}\n`;
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

/** Labels each prefix with the part that it adds to its parent. If all rows of a prefix are in a single child, the two share a line. */
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

/** Counts the prefixes by size. If no minimum is given, it chooses the smallest size to show, in steps of 1, 2, 5, 10, and so on. */
async function sizesOf(
  nodes: AsyncIterable<PrefixNode>,
  given?: number,
): Promise<Omit<PrefixTree, 'text'> & { readonly most: number }> {
  /** Number of prefixes by size step. A prefix belongs to the largest step that is not above its number of rows. */
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
  // If all remaining prefixes have the same size, they stay; otherwise no prefix would be left.
  for (; shown > MAX_LINES && counts[step]! < shown; step++) {
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
