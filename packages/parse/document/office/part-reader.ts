import { MAX_HEADING_LENGTH, MAX_HEADINGS, MAX_LINKS } from '../../shared/limits.js';
import { TextBuilder } from '../../shared/text-builder.js';
import { readXml, type XmlVisitor } from '../../xml/xml-reader.js';
import type { DocumentLink } from '../document-content.js';

export type Attributes = ReadonlyMap<string, string>;

/** The rules for reading the text of a format. Names of elements have the form of {@link XmlVisitor}. */
export interface TextRules {
  /** Elements whose characters are text. */
  readonly text: ReadonlySet<string>;
  /** Elements that end a word: paragraphs, cells, tabs, breaks. */
  readonly breaks: ReadonlySet<string>;
  /** Elements that are skipped: deleted text, repeated text, comments. */
  readonly skipped: ReadonlySet<string>;
  /** Returns the target of a link element, or undefined for other elements. The text in the element is the anchor. */
  link(name: string, attributes: Attributes): string | undefined;
  /** The element that also ends a link when it closes. Absent: only the link element does. */
  readonly linkEnd?: string;
  readonly blocks: ReadonlySet<string>;
  isHeading(name: string, attributes: Attributes): boolean;
}

export class Collector {
  readonly text: TextBuilder;
  /** Whether a part, or the end of a part, was left out. */
  isCut = false;
  readonly headings: string[] = [];
  readonly #links = new Map<string, string>();

  constructor(textLimit: number) {
    this.text = new TextBuilder(textLimit);
  }

  get links(): DocumentLink[] {
    return Array.from(this.#links, ([href, anchor]) => ({ href, anchor }));
  }

  get truncated(): boolean {
    return this.isCut || this.text.full || this.#links.size >= MAX_LINKS;
  }

  addHeading(heading: string): void {
    if (heading !== '' && this.headings.length < MAX_HEADINGS) this.headings.push(heading);
  }

  /** Adds a link. If the same link occurs several times, its first anchor that is not empty is used. */
  addLink(href: string, anchor = ''): void {
    if (this.#links.size < MAX_LINKS || this.#links.has(href)) this.#links.set(href, this.#links.get(href) || anchor);
  }
}

const MAX_ANCHOR = 1_000;

export function readText(xml: string, rules: TextRules, into: Collector): void {
  readPart(xml, new TextVisitor(rules, into), into);
}

/** Reads one part. Content that is nested too deep is left out. The caller must limit the time. */
export function readPart(xml: string, visitor: XmlVisitor, into: Pick<Collector, 'isCut'>): void {
  if (readXml(xml, visitor, () => false) === 'truncated') into.isCut = true;
}

class TextVisitor implements XmlVisitor {
  readonly #rules: TextRules;
  readonly #into: Collector;
  #skipped = 0;
  #inText = 0;
  #block: TextBuilder | undefined;
  #isHeading = false;
  #link: { readonly href: string; readonly name: string; readonly anchor: TextBuilder } | undefined;

  constructor(rules: TextRules, into: Collector) {
    this.#rules = rules;
    this.#into = into;
  }

  get done(): boolean {
    return this.#into.text.full;
  }

  open(name: string, attributes: Attributes): void {
    const { skipped, text, breaks, blocks } = this.#rules;
    if (this.#skipped > 0 || skipped.has(name)) return void this.#skipped++;
    if (breaks.has(name)) this.#breakWord();
    if (text.has(name)) this.#inText++;
    if (blocks.has(name)) {
      this.#block = new TextBuilder(MAX_HEADING_LENGTH);
      this.#isHeading = false;
    }
    if (this.#rules.isHeading(name, attributes)) this.#isHeading = true;
    const href = this.#rules.link(name, attributes);
    if (href === undefined) return;
    this.#endLink();
    this.#link = { href, name: this.#rules.linkEnd ?? name, anchor: new TextBuilder(MAX_ANCHOR) };
  }

  text(value: string): void {
    if (this.#skipped > 0 || this.#inText === 0) return;
    this.#into.text.add(value);
    this.#block?.add(value);
    this.#link?.anchor.add(value);
  }

  close(name: string): void {
    if (this.#skipped > 0) return void this.#skipped--;
    const { text, breaks, blocks } = this.#rules;
    if (text.has(name)) this.#inText--;
    if (breaks.has(name)) this.#breakWord();
    if (this.#link?.name === name) this.#endLink();
    if (!blocks.has(name)) return;
    if (this.#isHeading && this.#block) this.#into.addHeading(this.#block.toString());
    this.#block = undefined;
    this.#isHeading = false;
  }

  #breakWord(): void {
    this.#into.text.breakWord();
    this.#block?.breakWord();
    this.#link?.anchor.breakWord();
  }

  #endLink(): void {
    if (this.#link) this.#into.addLink(this.#link.href, this.#link.anchor.toString());
    this.#link = undefined;
  }
}
