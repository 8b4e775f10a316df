import { CELL, kindOf, SELECT_PART, TABLE_SCOPE, type ElementKind } from './html-elements.js';
import { unsure, type OpenElements } from './html-stack.js';

/** Elements that a part of a table also closes when it ends, if they are open. */
const ROWS = ['tr', 'td', 'th'];
const CLOSED_BY: Readonly<Record<string, readonly string[]>> = {
  table: [...ROWS, 'tbody', 'thead', 'tfoot', 'caption', 'colgroup'],
  tbody: ROWS,
  thead: ROWS,
  tfoot: ROWS,
  tr: ['td', 'th'],
};

const [TABLE, TBODY, COLGROUP, TR] = [kindOf('table'), kindOf('tbody'), kindOf('colgroup'), kindOf('tr')];

/** Handles the start tag of a part of a table. It closes the elements that end here, and opens the optional elements around the part. */
export function openTablePart(open: OpenElements, name: string): void {
  const isCell = name === 'td' || name === 'th';
  for (;;) {
    const top = open.top?.name;
    if (top === 'table') {
      if (isCell || name === 'tr') open.pushBare(TBODY);
      else if (name === 'col') open.pushBare(COLGROUP);
      else break;
    } else if (top === 'tbody' || top === 'thead' || top === 'tfoot') {
      if (name === 'tr') break;
      if (isCell) open.pushBare(TR);
      else open.pop();
    } else if (top === 'tr') {
      if (isCell) break;
      open.pop();
    } else if (top === 'colgroup') {
      if (name === 'col') break;
      open.pop();
    } else {
      const cell = open.findLast(CELL);
      if (cell < 0 || open.find(TABLE) > cell) unsure();
      open.close(cell);
    }
  }
}

export function closeTablePart(open: OpenElements, kind: ElementKind): void {
  const index = open.find(kind, TABLE_SCOPE);
  if (index < 0) unsure();
  open.closeWith(index, CLOSED_BY[kind.name]);
}

export function openInSelect(open: OpenElements, kind: ElementKind): void {
  if (kind.name !== 'option' && kind.name !== 'optgroup') unsure();
  if (open.top?.name === 'option') open.pop();
  if (kind.name === 'optgroup' && open.top?.name === 'optgroup') open.pop();
  open.pushBare(kind);
}

export function closeInSelect(open: OpenElements, { name, rules }: ElementKind): void {
  if ((rules & SELECT_PART) === 0) unsure();
  if (name !== 'option' && open.top?.name === 'option') open.pop();
  if (name === 'select' && open.top?.name === 'optgroup') open.pop();
  if (open.top?.name !== name) unsure();
  open.pop();
}
