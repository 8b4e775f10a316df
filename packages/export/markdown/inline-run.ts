import type { Inline, Marked } from './blocks.js';
import { tidyMarks } from './tidy-marks.js';

export type Mark = Omit<Marked, 'children'>;

const SPACES = /[\t\n\f\r ]+/g;
/** In a paragraph. More marks are dropped, because the Markdown writer compares each mark with the others. */
const MAX_MARKS = 500;

/**
 * Collects the text of a paragraph, a heading or a cell. Each run of white space becomes one space. Spaces are trimmed at both ends of each
 * mark (emphasis, link …), of each line and of the whole text.
 */
export class InlineRun {
  readonly #breaking: 'break' | 'space';
  readonly #children: Inline[] = [];
  readonly #open: { readonly mark: Mark; readonly node: Marked }[] = [];
  /** The separator to add before the next text. */
  #gap: 'none' | 'space' | 'break' = 'none';
  #marks = 0;
  /** The element of the code that was added last. Undefined: other content was added later. */
  #code: object | undefined;

  /** @param breaking the separator that is written for a line break, and between two blocks */
  constructor(breaking: 'break' | 'space') {
    this.#breaking = breaking;
  }

  get isEmpty(): boolean {
    return this.#children.length === 0;
  }

  text(value: string, marks: readonly Mark[]): void {
    this.#words(value, (text) => {
      appendText(this.#into(marks), text);
      this.#code = undefined;
    });
  }

  code(value: string, marks: readonly Mark[], element: object): void {
    this.#words(value, (text) => {
      const isWithin = this.#code === element && this.#isAt(marks);
      // A line break ends the code, because code within a line has no lines in Markdown.
      const gap = isWithin && this.#gap === 'space' ? ' ' : '';
      if (gap !== '') this.#gap = 'none';
      const into = this.#into(marks);
      const last = into.at(-1);
      // Two neighbouring code nodes are joined, because Markdown has no way to separate them.
      if (last?.type === 'inlineCode') last.value += gap + text;
      else into.push({ type: 'inlineCode', value: text });
      this.#code = element;
    });
  }

  add(node: Inline, marks: readonly Mark[]): void {
    this.#into(marks).push(node);
    this.#code = undefined;
  }

  space(): void {
    if (this.#gap === 'none') this.#gap = 'space';
  }

  /** Separates the following content from the earlier content. */
  part(): void {
    this.#gap = this.#breaking;
  }

  /** The collected nodes, without any kind of space at both ends. */
  end(): Inline[] {
    const nodes = tidyMarks(this.#children);
    const start = nodes.findIndex((node) => !isBlank(node));
    return start === -1 ? [] : nodes.slice(start, nodes.findLastIndex((node) => !isBlank(node)) + 1);
  }

  #words(value: string, add: (text: string) => void): void {
    const text = value.replace(SPACES, ' ');
    if (text.startsWith(' ')) this.space();
    const inner = text.slice(text.startsWith(' ') ? 1 : 0, text.length > 1 && text.endsWith(' ') ? -1 : undefined);
    if (inner === '') return;
    add(inner);
    if (text.endsWith(' ')) this.space();
  }

  /**
   * Adds the pending separator, and returns the list of nodes to which the next text is added. The separator comes after the marks that end
   * here, and before the marks that begin here.
   */
  #into(marks: readonly Mark[]): Inline[] {
    const wanted = this.#marks < MAX_MARKS ? marks : marks.filter(({ type }) => !isAttention(type));
    let shared = 0;
    while (shared < wanted.length && this.#goesOn(shared, wanted[shared]!)) shared += 1;
    this.#open.length = shared;
    let into = shared === 0 ? this.#children : this.#open[shared - 1]!.node.children;
    if (!this.isEmpty) {
      if (this.#gap === 'break') into.push({ type: 'break' });
      else if (this.#gap === 'space') appendText(into, ' ');
    }
    this.#gap = 'none';
    for (const mark of wanted.slice(shared)) {
      if (isAttention(mark.type)) this.#marks += 1;
      const node = { ...mark, children: [] };
      into.push(node);
      this.#open.push({ mark, node });
      into = node.children;
    }
    return into;
  }

  #isAt(marks: readonly Mark[]): boolean {
    return this.#open.length === marks.length && this.#open.every(({ mark }, i) => mark === marks[i]);
  }

  #goesOn(depth: number, mark: Mark): boolean {
    const open = this.#open[depth]?.mark;
    if (open === mark) return true;
    return this.#gap === 'none' && open?.type === mark.type && isAttention(mark.type);
  }
}

/**
 * Whether a node is a line break or white space. Such nodes are removed from the ends of a text, where Markdown would show a line break as
 * a backslash.
 */
export function isBlank(node: Inline): boolean {
  return node.type === 'break' || (node.type === 'text' && !/\S/.test(node.value));
}

/** Whether Markdown writes characters such as `**` before and after the text of a node of this type. */
function isAttention(type: Inline['type']): boolean {
  return type === 'strong' || type === 'emphasis' || type === 'delete';
}

function appendText(nodes: Inline[], value: string): void {
  const last = nodes.at(-1);
  if (last?.type === 'text') last.value += value;
  else nodes.push({ type: 'text', value });
}
