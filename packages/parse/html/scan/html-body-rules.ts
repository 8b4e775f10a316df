/** Rules for tags in the body: which open elements a tag closes, and which elements it creates in addition (HTML Standard, 13.2.6.4.7). */
import {
  BLOCK_END,
  BUTTON_SCOPE,
  CLOSES_P,
  HEADING,
  ITEM,
  kindOf,
  LIST_SCOPE,
  NOT_NESTED,
  ONLY_ONE,
  SCOPE,
  SELECT_PART,
  TABLE_PART,
  TABLE_TAG,
  type ElementKind,
} from './html-elements.js';
import { unsure, type OpenElements } from './html-stack.js';
import { closeInSelect, closeTablePart, openTablePart } from './html-table-rules.js';

const P = kindOf('p');

/**
 * Closes the elements that end when an element of this kind opens.
 * @param doctype doctype of the page
 */
export function closeForStart(open: OpenElements, kind: ElementKind, doctype: string | undefined): void {
  const { name, rules } = kind;
  const topRules = open.top?.rules ?? 0;
  if ((rules & ONLY_ONE) !== 0) unsure();
  if ((rules & TABLE_TAG) !== 0) {
    openTablePart(open, name);
    return;
  }
  if ((topRules & TABLE_PART) !== 0) {
    if (open.top?.name === 'colgroup' || (name !== 'script' && name !== 'style')) unsure();
  }
  if ((rules & ITEM) !== 0) open.closeItem(kind);
  if ((rules & CLOSES_P) !== 0) {
    const p = open.find(P, BUTTON_SCOPE);
    // In a page without a doctype, or with an old doctype, a paragraph may contain a table.
    if (p >= 0 && name === 'table' && !/^<!doctype html>$/i.test(doctype ?? '')) unsure();
    if (p >= 0) open.close(p);
  }
  if ((rules & (open.top?.rules ?? 0) & HEADING) !== 0) unsure();
  if ((rules & NOT_NESTED) !== 0 && open.find(kind) >= 0) unsure();
  if (name === 'option' || name === 'optgroup') unsure();
}

/** Handles an end tag that does not belong to the innermost element. */
export function endInBody(open: OpenElements, kind: ElementKind): void {
  const { name, rules } = kind;
  const topRules = open.top?.rules ?? 0;
  // After these end tags, text and elements still belong to the body.
  if (name === 'body' || name === 'html') return;
  if (name === 'table' || (rules & TABLE_TAG) !== 0) closeTablePart(open, kind);
  else if ((topRules & TABLE_PART) !== 0) unsure();
  else if ((topRules & SELECT_PART) !== 0) closeInSelect(open, kind);
  else if (name === 'p') endParagraph(open, kind);
  else if (name === 'li') open.close(open.find(kind, LIST_SCOPE));
  else if ((rules & HEADING) !== 0) open.close(open.findLast(HEADING));
  else if ((rules & BLOCK_END) !== 0) open.close(open.find(kind, SCOPE));
  else if (open.top?.name === name) open.pop();
  else unsure();
}

/** Closes the open paragraph. If there is no open paragraph, an empty one is created. */
function endParagraph(open: OpenElements, kind: ElementKind): void {
  const index = open.find(kind, BUTTON_SCOPE);
  if (index >= 0) return open.close(index);
  if (open.isForeign) unsure();
  open.pushBare(kind);
  open.pop();
}
