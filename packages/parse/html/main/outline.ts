import { html as spec, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { isElement } from '../elements.js';
import { attribute } from '../html-tree.js';
import { addText, BOLD, CODE, IN_LINK, isBlank, ITALIC, newBlock, noteEnds, type Block } from './block-text.js';
import { ClassWords } from './class-words.js';

export interface Part {
  readonly element: Tree.Element;
  readonly tagName: string;
  readonly parent: Part | undefined;
  readonly index: number;
  readonly depth: number;
  /** The id of the element if it is a name of the element, else an empty string; see `nameOf`. */
  name: string;
  /** Families of words in the class, the name and the role of the element, as bits. */
  words: number;
  /** The index of the first block in the element, and the index after its last block. */
  readonly first: number;
  end: number;
}

/** The text of a page as blocks in document order, and its elements as parts. A part comes before the parts inside it. */
export interface Outline {
  readonly blocks: readonly Block[];
  readonly parts: readonly Part[];
}

const HTML = spec.NS.HTML;
/** Bits in addition to the marks of `block-text.ts`. `INLINE`: an inline element. `NO_TEXT`: an element whose text is not for readers. */
const INLINE = 16;
const NO_TEXT = 32;
/** Bits of elements by name. An element without an entry is block-level and gives no marks. */
const TAGS: ReadonlyMap<string, number> = new Map(
  [
    bitsOfTags(
      'script style template select textarea svg iframe object embed noembed noframes head link meta title input canvas audio video datalist',
      NO_TEXT,
    ),
    bitsOfTags(
      'abbr acronym bdi bdo big cite data del dfn font img ins label mark nobr picture q rb rp rt ruby s small source span strike sub sup time u var wbr',
      INLINE,
    ),
    bitsOfTags('a', INLINE | IN_LINK),
    bitsOfTags('b strong', INLINE | BOLD),
    bitsOfTags('i em', INLINE | ITALIC),
    bitsOfTags('code kbd samp tt', INLINE | CODE),
    bitsOfTags('pre', CODE),
  ].flat(),
);

/** Elements whose id may be a name. An id of another element, such as a heading or a term, is an anchor made of its text. */
const CONTAINERS: ReadonlySet<string> = new Set(
  'div section nav ul ol dl table aside header footer form main article td'.split(' '),
);

/** Elements whose text can be in a button that opens or closes what is below them. */
const HEADING = /^(h[1-6]|summary)$/;

function bitsOfTags(names: string, bits: number): [string, number][] {
  return names.split(' ').map((name) => [name, bits]);
}

export function isWithoutText(tagName: string): boolean {
  return ((TAGS.get(tagName) ?? 0) & NO_TEXT) !== 0;
}

/** Whether elements of this name are inline. All others are block-level. */
export function isInlineTag(tagName: string): boolean {
  return ((TAGS.get(tagName) ?? 0) & INLINE) !== 0;
}

export function readOutline(body: Tree.Element): Outline {
  const reader = new OutlineReader();
  reader.read(body, undefined, undefined, 0, 0);
  reader.end();
  return reader;
}

export function isHeading({ part }: Block): boolean {
  return /^h[1-6]$/.test(part.tagName);
}

/**
 * The id of a container, as a name that says what the container is for. An id that is made of the heading with which the container begins
 * is no name: it says what the text is about.
 */
function nameOf({ element, tagName, first }: Part, blocks: readonly Block[]): string {
  const id = CONTAINERS.has(tagName) ? (attribute(element, 'id') ?? '') : '';
  const start = blocks[first];
  return id === '' || (start && isHeading(start) && isMadeOf(id, start.start)) ? '' : id;
}

/** Minimum number of letters and digits of a text that counts if it is within another one. */
const MIN_WITHIN = 3;

/** Whether an id and a heading have the same letters and digits, or one of them has those of the other. */
function isMadeOf(id: string, heading: string): boolean {
  const [one = '', other = ''] = [id.slice(0, 100), heading].map((text) =>
    text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''),
  );
  if (Math.min(one.length, other.length) < MIN_WITHIN) return one === other && one !== '';
  return one.includes(other) || other.includes(one);
}

class OutlineReader implements Outline {
  readonly blocks: Block[] = [];
  readonly parts: Part[] = [];
  readonly #classWords = new ClassWords();
  #open: Block | undefined;
  #breaks = 0;
  #pictures = 0;
  /** Whether the current element is in a heading with all of its text in buttons. */
  #isInButtonHeading = false;

  end(): void {
    for (const block of this.blocks) noteEnds(block);
    for (const part of this.parts) {
      part.name = nameOf(part, this.blocks);
      part.words |= this.#classWords.ofName(part.name);
    }
  }

  /**
   * Reads an element and its content.
   * @param holder the nearest block-level element around the element
   * @param words families of class words of the inline elements around the element
   */
  read(element: Tree.Element, parent: Part | undefined, holder: Part | undefined, marks: number, words: number): void {
    const part = this.#enter(element, parent);
    const bits = TAGS.get(part.tagName) ?? 0;
    const isInButtonHeading = this.#isInButtonHeading;
    if (HEADING.test(part.tagName)) this.#isInButtonHeading = isInButtons(element);
    const isHeadingText = part.tagName === 'button' && isInButtonHeading;
    const isInline = isInlineTag(part.tagName) || element.namespaceURI !== HTML || isHeadingText;
    if (!isInline) this.#open = undefined;
    const owner = isInline && holder ? holder : part;
    const innerMarks = marks | bits;
    const innerWords = isInline ? words | part.words : 0;
    if (part.tagName === 'a' && this.#open) this.#open.links++;
    for (const child of element.childNodes) {
      if (child.nodeName === '#text') this.#text(child as Tree.TextNode, owner, innerMarks, innerWords);
      else if (!isElement(child) || isWithoutText(child.tagName)) continue;
      else if (child.tagName === 'br') this.#breaks++;
      else if (child.tagName === 'img') this.#pictures++;
      else this.read(child, part, owner, innerMarks, innerWords);
    }
    if (!isInline) this.#open = undefined;
    this.#isInButtonHeading = isInButtonHeading;
    part.end = this.blocks.length;
  }

  #enter(element: Tree.Element, parent: Part | undefined): Part {
    const part = {
      element,
      tagName: element.tagName,
      parent,
      index: this.parts.length,
      depth: parent ? parent.depth + 1 : 0,
      name: '',
      words: this.#classWords.of(element),
      first: this.blocks.length,
      end: this.blocks.length,
    };
    this.parts.push(part);
    return part;
  }

  #text(node: Tree.TextNode, owner: Part, marks: number, words: number): void {
    if (isBlank(node.value)) {
      if (this.#open) addText(this.#open, node, 0);
      return;
    }
    if (this.#breaks > 1) this.#open = undefined;
    this.#breaks = 0;
    if (!this.#open) {
      this.#open = newBlock(this.blocks.length, owner, words, this.#pictures);
      this.#pictures = 0;
      if (marks & IN_LINK) this.#open.links++;
      this.blocks.push(this.#open);
    }
    addText(this.#open, node, marks);
  }
}

function isInButtons(element: Tree.Element): boolean {
  return element.childNodes.every((child) => {
    if (child.nodeName === '#text') return isBlank((child as Tree.TextNode).value);
    return !isElement(child) || child.tagName === 'button' || isWithoutText(child.tagName) || isInButtons(child);
  });
}

/** Whether an element is hidden. Content that a reader can open is not hidden, such as a tab, or text that a search in the page finds. */
export function isHidden(element: Tree.Element): boolean {
  if (attribute(element, 'role') === 'tabpanel') return false;
  const hidden = attribute(element, 'hidden');
  if (hidden !== undefined) return hidden.toLowerCase() !== 'until-found';
  const style = attribute(element, 'style');
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 400));
}
