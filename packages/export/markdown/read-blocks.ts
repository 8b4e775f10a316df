import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute, formulaTex, isCode, isElement } from '../../core/index.js';
import type { Block, Heading, Inline } from './blocks.js';
import { codeOf } from './code-of.js';
import { withoutControls } from './control-characters.js';
import { InlineRun, type Mark } from './inline-run.js';
import { MAX_NESTING, readList } from './read-list.js';
import { readTable } from './read-table.js';

export class BlockReader {
  #blocks: Block[] = [];
  #run: InlineRun | undefined;
  /** Whether all content goes into one line, as in a heading or a cell. */
  #isFlat = false;
  #marks: readonly Mark[] = [];
  #code: Tree.Element | undefined;
  /** Number of lists and quotations around the current element. */
  #nested = 0;
  readonly #step: () => void;
  /** Whether an element has the parentheses of its ruby annotations. */
  readonly #hasParentheses = new WeakMap<Tree.ParentNode, boolean>();

  constructor(step: () => void) {
    this.#step = step;
  }

  get isFlat(): boolean {
    return this.#isFlat;
  }

  get nested(): number {
    return this.#nested;
  }

  read(element: Tree.ParentNode): void {
    for (const child of element.childNodes) this.readNode(child);
  }

  readNode(node: Tree.Node): void {
    this.#step();
    if (node.nodeName === '#text') this.text(withoutControls((node as Tree.TextNode).value));
    else if (isElement(node)) this.#readElement(node);
  }

  /** Reads an element whose text is not in one paragraph with the text around the element. */
  readApart(element: Tree.ParentNode): void {
    this.part();
    this.read(element);
    this.part();
  }

  /** Reads an element that is a mark. A mark cannot contain the same mark: a link contains no link, and bold text no bold text. */
  readMarked(element: Tree.Element, mark: Mark): void {
    const around = this.#marks;
    const isRaised = mark.type === 'sup' || mark.type === 'sub';
    if (isRaised || !around.some(({ type }) => type === mark.type)) this.#marks = [...around, mark];
    this.read(element);
    this.#marks = around;
  }

  /** Reads inline code. Marks in the code are ignored, except links. */
  readCode(element: Tree.Element): void {
    const around = this.#code;
    this.#code ??= element;
    this.read(element);
    this.#code = around;
  }

  /** Reads a ruby annotation. It is not part of the word that it explains, so it is written in parentheses. */
  readAnnotation(element: Tree.Element): void {
    const parent = element.parentNode!;
    const has = this.#hasParentheses.get(parent) ?? parent.childNodes.some(({ nodeName }) => nodeName === 'rp');
    this.#hasParentheses.set(parent, has);
    if (!has) this.text('(');
    this.read(element);
    if (!has) this.text(')');
  }

  blocksIn(node: Tree.ParentNode | Tree.ChildNode, isNested = true): Block[] {
    const around = { blocks: this.#blocks, run: this.#run };
    this.#blocks = [];
    this.#run = undefined;
    if (isNested) this.#nested += 1;
    if (isElement(node) && !isNested) this.readNode(node);
    else if ('childNodes' in node) this.read(node);
    else this.readNode(node);
    this.part();
    const blocks = this.#blocks;
    if (isNested) this.#nested -= 1;
    this.#blocks = around.blocks;
    this.#run = around.run;
    return blocks;
  }

  lineIn(element: Tree.Element, breaking: 'break' | 'space'): Inline[] {
    const around = { run: this.#run, isFlat: this.#isFlat };
    const run = new InlineRun(breaking);
    this.#run = run;
    this.#isFlat = true;
    this.read(element);
    this.#run = around.run;
    this.#isFlat = around.isFlat;
    return run.end();
  }

  part(): void {
    if (this.#isFlat) return this.#run!.part();
    const run = this.#run;
    this.#run = undefined;
    if (!run || run.isEmpty) return;
    const children = run.end();
    if (children.length > 0) this.#blocks.push({ type: 'paragraph', children });
  }

  add(block: Block): void {
    this.part();
    this.#blocks.push(block);
  }

  text(value: string): void {
    if (!this.#run && !/[^\t\n\f\r ]/.test(value)) return;
    if (this.#code) this.#line().code(value, this.#marks, this.#code);
    else this.#line().text(value, this.#marks);
  }

  addInline(node: Inline): void {
    this.#line().add(node, this.#marks);
  }

  space(): void {
    this.#run?.space();
  }

  lineBreak(): void {
    this.#run?.part();
  }

  #line(): InlineRun {
    return (this.#run ??= new InlineRun('break'));
  }

  #readElement(element: Tree.Element): void {
    if (isCode(element)) return this.#readCodeBlock(element);
    const mark = markOf(element);
    if (mark && !(this.#code && mark.type !== 'link')) return this.readMarked(element, mark);
    if (mark?.type === 'sup' || mark?.type === 'sub') this.text(mark.type === 'sup' ? '^' : '_');
    if (Object.hasOwn(READERS, element.tagName)) return READERS[element.tagName]!(this, element);
    if (APART.has(element.tagName)) return this.readApart(element);
    // A custom element may be displayed as a block or not.
    if (element.tagName.includes('-')) readSpaced(this, element);
    else this.read(element);
  }

  #readCodeBlock(element: Tree.Element): void {
    if (!this.#isFlat) {
      const code = codeOf(element);
      if (code.value !== '') this.add(code);
      return;
    }
    this.part();
    this.readCode(element);
    this.part();
  }
}

/** Elements that end the paragraph before them and begin a new one. Markdown has no other form for these elements. */
const APART: ReadonlySet<string> = new Set(
  (
    'address article aside body button caption center dd details dialog dir div dl fieldset figcaption figure footer form header ' +
    'hgroup html legend li main menu nav noscript optgroup option p search section summary tbody td tfoot th thead tr'
  ).split(' '),
);

const MARKS: Readonly<Record<string, Mark>> = {
  b: { type: 'strong' },
  strong: { type: 'strong' },
  i: { type: 'emphasis' },
  em: { type: 'emphasis' },
  del: { type: 'delete' },
  s: { type: 'delete' },
  strike: { type: 'delete' },
  sup: { type: 'sup' },
  sub: { type: 'sub' },
};

function markOf(element: Tree.Element): Mark | undefined {
  if (element.tagName === 'a') {
    const url = attribute(element, 'href');
    return url === undefined ? undefined : { type: 'link', url };
  }
  // A new object each time: two neighbouring raised texts, such as two footnotes, are separate marks.
  return Object.hasOwn(MARKS, element.tagName) ? { ...MARKS[element.tagName]! } : undefined;
}

type ReadElement = (reader: BlockReader, element: Tree.Element) => void;

const READERS: Readonly<Record<string, ReadElement>> = {
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, readHeading])),
  ...Object.fromEntries(['code', 'kbd', 'samp', 'tt'].map((name) => [name, (reader, code) => reader.readCode(code)])),
  ul: readList,
  ol: readList,
  menu: readList,
  dir: readList,
  table: readTable,
  br: (reader) => reader.lineBreak(),
  hr: (reader) => {
    if (reader.isFlat) reader.part();
    else reader.add({ type: 'thematicBreak' });
  },
  blockquote: (reader, element) => {
    if (reader.isFlat || reader.nested >= MAX_NESTING) return reader.readApart(element);
    const children = reader.blocksIn(element);
    if (children.length > 0) reader.add({ type: 'blockquote', children });
  },
  dt: (reader, element) => {
    reader.part();
    reader.readMarked(element, { type: 'strong' });
    reader.part();
  },
  img: (reader, element) => {
    const url = attribute(element, 'src') ?? '';
    const alt = withoutControls(attribute(element, 'alt') ?? '')
      .replace(/\s+/g, ' ')
      .trim();
    if (url !== '' && !/^data:/i.test(url)) reader.addInline({ type: 'image', url, alt });
  },
  q: (reader, element) => {
    reader.text('"');
    reader.read(element);
    reader.text('"');
  },
  rt: (reader, element) => reader.readAnnotation(element),
  math: (reader, element) => {
    const found = formulaTex(element);
    if (found === undefined) return readSpaced(reader, element);
    const tex = withoutControls(found);
    if (attribute(element, 'display') === 'block' && !reader.isFlat) reader.add({ type: 'math', value: tex });
    else reader.addInline({ type: 'inlineMath', value: tex });
  },
  mtd: readSpaced,
  mfrac: (reader, element) => between(reader, element, '/'),
  mroot: (reader, element) => between(reader, element, ' √'),
  msup: (reader, element) => raised(reader, element, ['sup']),
  mover: (reader, element) => raised(reader, element, ['sup']),
  msub: (reader, element) => raised(reader, element, ['sub']),
  munder: (reader, element) => raised(reader, element, ['sub']),
  msubsup: (reader, element) => raised(reader, element, ['sub', 'sup']),
  munderover: (reader, element) => raised(reader, element, ['sub', 'sup']),
};

/** Reads an element whose words are kept apart from the words around it by spaces. */
function readSpaced(reader: BlockReader, element: Tree.Element): void {
  reader.space();
  reader.read(element);
  reader.space();
}

function readHeading(reader: BlockReader, element: Tree.Element): void {
  if (reader.isFlat) return reader.readApart(element);
  const children = reader.lineIn(element, 'space');
  const depth = Number(element.tagName[1]) as Heading['depth'];
  if (children.length > 0) reader.add({ type: 'heading', depth, children });
  else reader.part();
}

function between(reader: BlockReader, element: Tree.Element, sign: string): void {
  element.childNodes.filter(isElement).forEach((part, i) => {
    if (i > 0) reader.text(sign);
    reader.readNode(part);
  });
}

function raised(reader: BlockReader, element: Tree.Element, types: readonly ('sup' | 'sub')[]): void {
  element.childNodes.filter(isElement).forEach((part, i) => {
    const type = types[i - 1];
    if (type === undefined) reader.readNode(part);
    else reader.readMarked({ ...part, tagName: 'mrow', childNodes: [part] }, { type });
  });
}

/**
 * Reads a tree into blocks. Words of different blocks are never joined. Lists and tables that serve only the layout become plain blocks.
 * Horizontal lines appear only between blocks.
 * @param step called for each node
 */
export function readBlocks(body: Tree.Element, step: () => void = () => {}): Block[] {
  const blocks = new BlockReader(step).blocksIn(body, true);
  return blocks.filter(({ type }, i) => {
    if (type !== 'thematicBreak') return true;
    return i > 0 && i < blocks.length - 1 && blocks[i - 1]!.type !== 'thematicBreak';
  });
}
