import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { Part } from './outline.js';

/** A run of text without block-level elements in it, with counts for its features. */
export interface Block {
  readonly index: number;
  readonly part: Part;
  readonly nodes: Tree.TextNode[];
  /** Families of class words of the inline elements around the first text of the block, as bits. */
  readonly words: number;
  /** The first {@link MAX_EDGE_CHARACTERS} characters of the block, with single spaces. */
  start: string;
  /** The last {@link MAX_EDGE_CHARACTERS} characters of the block, as in the page. */
  end: string;
  /** Number of pictures since the start of the previous block. */
  pictures: number;
  /** The code of the last character. If the block ends with white space, the code of a space. */
  last: number;
  /** A hash of all characters except white space. It is equal for blocks with the same text. */
  hash: number;
  /** Number of characters. A character of a script without spaces between words counts as two. A run of white space counts as one. */
  length: number;
  /** Number of characters in links, in bold, in italics and in code, counted in the same way. */
  linked: number;
  bold: number;
  italic: number;
  code: number;
  spaces: number;
  commas: number;
  stops: number;
  digits: number;
  capitals: number;
  /** Number of characters that separate the entries of a line, such as `|` and `·`. */
  pipes: number;
  /** Number of links in the block. A link around the block is included. */
  links: number;
  /** Whether the block looks like prose: it is long, has commas or stops, and few links. */
  isProse: boolean;
  /** The kinds that the first words of the block indicate, as bits; see `first-words.ts`. 0 for a long block. */
  says: number;
  isRepeated: boolean;
}

const MAX_EDGE_CHARACTERS = 80;

/** Marks for the text in inline elements, as bits. */
export const IN_LINK = 1;
export const BOLD = 2;
export const ITALIC = 4;
export const CODE = 8;

export function newBlock(index: number, part: Part, words: number, pictures: number): Block {
  return {
    index,
    part,
    nodes: [],
    words,
    start: '',
    end: '',
    pictures,
    last: 0,
    hash: 0,
    length: 0,
    linked: 0,
    bold: 0,
    italic: 0,
    code: 0,
    spaces: 0,
    commas: 0,
    stops: 0,
    digits: 0,
    capitals: 0,
    pipes: 0,
    links: 0,
    isProse: false,
    says: 0,
    isRepeated: false,
  };
}

const SPACE = 1;
const COMMA = 2;
const STOP = 3;
const DIGIT = 4;
const CAPITAL = 5;
const PIPE = 6;
/** Kinds of the characters below U+0500. */
const KINDS = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(0x500);
  const mark = (kind: number, characters: string): void => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  mark(SPACE, ' \t\n\f\r\u00a0');
  mark(COMMA, ',;');
  mark(STOP, '.!?');
  mark(DIGIT, '0123456789');
  mark(PIPE, '|·•»«›/–—>');
  for (let code = 0x41; code < 0x500; code++) {
    const character = String.fromCharCode(code);
    if (character !== character.toLowerCase()) table[code] = CAPITAL;
  }
  return table;
}

function kindOf(code: number): number {
  if (code < 0x500) return KINDS[code]!;
  if (code === 0x3000 || (code >= 0x2000 && code <= 0x200b)) return SPACE;
  if (code === 0xff0c || code === 0x3001 || code === 0x060c) return COMMA;
  if (code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0x0964 || code === 0x061f) return STOP;
  return code === 0x2022 || code === 0x2013 || code === 0x2014 || code === 0x203a || code === 0xff5c ? PIPE : 0;
}

function isWide(code: number): boolean {
  return (code >= 0x0e00 && code < 0x0f00) || (code >= 0x2e80 && code < 0xd7b0) || (code >= 0xf900 && code < 0xfb00);
}

export function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (kindOf(text.charCodeAt(i)) !== SPACE) return false;
  return true;
}

export function addText(block: Block, node: Tree.TextNode, marks: number): void {
  const { value } = node;
  const before = block.length;
  let { hash, last, length } = block;
  block.nodes.push(node);
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    const kind = kindOf(code);
    if (kind === SPACE) {
      if (last === 0 || KINDS[last] === SPACE) continue;
      block.spaces++;
      length++;
      last = 0x20;
      continue;
    }
    hash = (Math.imul(hash, 31) + code) | 0;
    last = code;
    length += isWide(code) ? 2 : 1;
    if (kind === COMMA) block.commas++;
    else if (kind === STOP) block.stops++;
    else if (kind === DIGIT) block.digits++;
    else if (kind === CAPITAL) block.capitals++;
    else if (kind === PIPE) block.pipes++;
  }
  block.hash = hash;
  block.last = last;
  block.length = length;
  const added = length - before;
  if (marks & IN_LINK) block.linked += added;
  if (marks & BOLD) block.bold += added;
  if (marks & ITALIC) block.italic += added;
  if (marks & CODE) block.code += added;
}

/** Sets `start` and `end` of a block. It must be called after the last text of the block was added. */
export function noteEnds(block: Block): void {
  const { nodes } = block;
  for (let i = 0; i < nodes.length && block.start.length < MAX_EDGE_CHARACTERS; i++) {
    block.start = startOf(block.start + nodes[i]!.value.slice(0, 4 * MAX_EDGE_CHARACTERS));
  }
  for (let i = nodes.length - 1; i >= 0 && block.end.length < MAX_EDGE_CHARACTERS; i--) {
    block.end = nodes[i]!.value.slice(-MAX_EDGE_CHARACTERS) + block.end;
  }
  block.end = block.end.slice(-MAX_EDGE_CHARACTERS);
}

function startOf(text: string): string {
  return text.replace(/\s+/g, ' ').trimStart().slice(0, MAX_EDGE_CHARACTERS);
}
