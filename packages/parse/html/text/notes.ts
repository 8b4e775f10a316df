import { defaultTreeAdapter, type DefaultTreeAdapterTypes } from 'parse5';
import { isElement, isHtml, isMathMl } from '../elements.js';
import { roleOf } from '../page-element.js';

type Element = DefaultTreeAdapterTypes.Element;
type Parent = DefaultTreeAdapterTypes.ParentNode;
type Child = DefaultTreeAdapterTypes.ChildNode;

/**
 * Position of the content of an element in the text. `here`: at the element. `nowhere`: it is left out. `behind`: after the block around
 * the element.
 */
export type Stand = 'here' | 'nowhere' | 'behind';

/**
 * Returns the position of the content of an element in the text. The notes of a `ruby` come after the block, so that the explained words
 * stay together, and a search still finds the notes. Parentheses around notes are left out, because they are for browsers without ruby. A
 * MathML formula is in the text only once, with its visible part.
 * @param repeats elements that repeat a formula which is also in the page as MathML
 */
export function standOf(element: Element, repeats: ReadonlySet<Parent>): Stand {
  switch (element.tagName) {
    case 'rp':
      return isHtml(element) ? 'nowhere' : 'here';
    case 'rt':
    case 'rtc':
      return isHtml(element) && isRuby(element.parentNode) ? 'behind' : 'here';
    case 'annotation':
    case 'annotation-xml':
      return isMathMl(element) && element.parentNode?.childNodes[0] !== element ? 'nowhere' : 'here';
    default:
      return repeats.size > 0 && repeats.has(element) ? 'nowhere' : 'here';
  }
}

/** Whether the notes inside an element come directly after this element. */
export function holdsNotes(element: Element): boolean {
  return isHtml(element) && roleOf(element.tagName)?.endsRun === true;
}

/** Separates the notes of two `ruby` elements. */
const BLANK = defaultTreeAdapter.createTextNode(' ');

/** Returns the content of notes. Notes of one `ruby` stay together. */
export function contentOfNotes(notes: readonly Element[]): Child[] {
  const content: Child[] = [];
  let ruby: Parent | null = null;
  for (const note of notes) {
    if (note.parentNode !== ruby) content.push(BLANK);
    ruby = note.parentNode;
    for (const node of note.childNodes) content.push(node);
  }
  return content;
}

const MAX_ANCESTORS = 4;
const MAX_SIBLINGS = 8;

/**
 * Finds the elements of KaTeX and MathJax that repeat a formula in visible form. Such an element has `aria-hidden`. Its only sibling is a
 * `math` element, or an element whose only content is a `math` element.
 * @param formulas the `math` elements of a page
 */
export function repeatsOf(formulas: readonly Element[]): ReadonlySet<Parent> {
  const found = new Set<Parent>();
  for (const formula of formulas) {
    let inner: Element = formula;
    for (let around = 0; around < MAX_ANCESTORS; around++) {
      const parent: Parent | null = inner.parentNode;
      if (!parent || parent.childNodes.length > MAX_SIBLINGS) break;
      const others = parent.childNodes.filter((node) => node !== inner && !isNothing(node));
      const [other] = others;
      if (others.length === 1 && isHiddenFromReaders(other!)) found.add(other);
      if (others.length > 0 || !isElement(parent)) break;
      inner = parent;
    }
  }
  return found;
}

function isHiddenFromReaders(node: Child): node is Element {
  return isElement(node) && node.attrs.some(({ name, value }) => name === 'aria-hidden' && value === 'true');
}

function isNothing(node: Child): boolean {
  return node.nodeName === '#comment' || ('value' in node && node.value.trim() === '');
}

function isRuby(node: Parent | null): boolean {
  return node !== null && isElement(node) && node.tagName === 'ruby' && isHtml(node);
}
