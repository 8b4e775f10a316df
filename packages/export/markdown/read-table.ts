import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute, first, isCode, isElement } from '../../core/index.js';
import type { Inline, Row } from './blocks.js';
import type { BlockReader } from './read-blocks.js';

/** Blank cells after a cell that spans several columns are added up to this column. */
const MAX_COLUMNS = 200;
const MAX_BLANK_CELLS = 20_000;
/** A table without header cells is only layout if a cell has more characters than this with line breaks, or more line breaks. */
const MAX_CELL_CHARACTERS = 1000;
const MAX_CELL_BREAKS = 8;

/**
 * Reads a table. A cell that spans several columns or rows is written once, and its other places are blank cells. A table that is only
 * layout is replaced by the content of its cells in order. A table whose cells contain code, headings or tables is replaced too, because
 * Markdown cannot show these in cells.
 */
export function readTable(reader: BlockReader, table: Tree.Element): void {
  if (reader.isFlat) return reader.readApart(table);
  const { captions, rows } = partsOf(table);
  const hasHeads = rows.some((row) => cellsOf(row).some(({ tagName }) => tagName === 'th'));
  if (isLayout(table) || (!hasHeads && rows.every((row) => cellsOf(row).length <= 1))) return reader.readApart(table);
  reader.part();
  const read = new Grid(reader, rows).rows;
  if (!hasHeads && read.some(({ children }) => children.some((cell) => isLong(cell.children))))
    return reader.readApart(table);
  for (const caption of captions) reader.readApart(caption);
  if (read.length > 0) reader.add({ type: 'table', children: read });
}

function partsOf(table: Tree.Element): { readonly captions: Tree.Element[]; readonly rows: Tree.Element[] } {
  const captions: Tree.Element[] = [];
  const rows: Tree.Element[] = [];
  const look = (parent: Tree.Element): void => {
    for (const child of parent.childNodes) {
      if (!isElement(child)) continue;
      if (child.tagName === 'tr') rows.push(child);
      else if (child.tagName === 'caption') captions.push(child);
      else look(child);
    }
  };
  look(table);
  return { captions, rows };
}

function isLayout(table: Tree.Element): boolean {
  if (/^(none|presentation)$/.test(attribute(table, 'role') ?? '')) return true;
  return (
    first(table, (inner) => inner.tagName === 'table' || /^h[1-6]$/.test(inner.tagName) || isCode(inner)) !== undefined
  );
}

function cellsOf(row: Tree.Element): Tree.Element[] {
  return row.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'td' || tagName === 'th');
}

function isLong(cell: readonly Inline[]): boolean {
  const lines = cell.filter(({ type }) => type === 'break').length;
  if (lines === 0) return false;
  return (
    lines > MAX_CELL_BREAKS ||
    cell.reduce((sum, node) => sum + ('value' in node ? node.value.length : 0), 0) > MAX_CELL_CHARACTERS
  );
}

/** Cells in rows and columns, by the algorithm of the HTML Standard. */
class Grid {
  readonly rows: Row[] = [];
  readonly #reader: BlockReader;
  /** For each column, the number of more rows that a cell above covers. */
  readonly #below: number[] = [];
  #blanks = MAX_BLANK_CELLS;

  constructor(reader: BlockReader, rows: readonly Tree.Element[]) {
    this.#reader = reader;
    for (const row of rows) {
      const cells = this.#read(cellsOf(row));
      if (cells.some(({ children }) => children.length > 0)) this.rows.push({ type: 'tableRow', children: cells });
    }
  }

  #read(elements: readonly Tree.Element[]): Row['children'] {
    const cells: Row['children'] = [];
    const blank = (): void => void cells.push({ type: 'tableCell', children: [] });
    const passSpanned = (): void => {
      while ((this.#below[cells.length] ?? 0) > 0) {
        this.#below[cells.length]! -= 1;
        blank();
      }
    };
    for (const element of elements) {
      passSpanned();
      const columns = this.#spanOf(element, 'colspan', MAX_COLUMNS - cells.length);
      // A `rowspan` of 0 spans up to the last row.
      const rows = cells.length < MAX_COLUMNS ? this.#spanOf(element, 'rowspan', this.#blanks) : 1;
      const at = cells.length;
      cells.push({ type: 'tableCell', children: this.#reader.lineIn(element, 'break') });
      for (let i = 1; i < columns; i++) blank();
      for (let i = 0; i < columns; i++) this.#below[at + i] = rows - 1;
      this.#blanks -= columns * rows - 1;
    }
    passSpanned();
    return cells;
  }

  #spanOf(element: Tree.Element, name: string, most: number): number {
    const value = Number.parseInt(attribute(element, name) ?? '1', 10);
    const wanted = Number.isNaN(value) || value < 0 ? 1 : value === 0 ? (name === 'rowspan' ? most : 1) : value;
    return Math.max(1, Math.min(wanted, most, this.#blanks));
  }
}
