import type { XmlVisitor } from '../../xml/xml-reader.js';
import { TextBuilder } from '../../shared/text-builder.js';
import type { PackageParts } from './package-parts.js';
import { readPart, type Attributes, type Collector } from './part-reader.js';
import { externalOf, partsOf, relationsOf } from './relations.js';

/** Maximum number of characters of one cell, as in Excel. */
const MAX_CELL = 32_767;

/** Reads the visible sheets of a workbook in order. The text of a sheet is its name, then the texts and numbers of its cells. */
export function readWorkbook(parts: PackageParts, main: string, xml: string, into: Collector): void {
  const relations = relationsOf(parts, main, into);
  const sheets: { readonly name: string; readonly part: string }[] = [];
  const open = (element: string, attributes: Attributes): void => {
    const sheet = element === 'sheet' ? relations.get(attributes.get('?:id') ?? '') : undefined;
    if (!sheet || sheet.isExternal || /hidden/i.test(attributes.get('state') ?? '')) return;
    sheets.push({ name: attributes.get('name') ?? '', part: sheet.target });
  };
  readPart(xml, { open, text: () => undefined, close: () => undefined }, into);
  const [shared] = partsOf(relations, 'sharedStrings');
  const strings = shared === undefined ? [] : sharedStrings(parts.readOptional(shared) ?? '', into);
  for (const { name, part } of sheets) {
    if (into.text.full) return;
    into.text.breakWord();
    into.text.add(name);
    into.addHeading(name.trim());
    const sheet = parts.readOptional(part);
    if (sheet !== undefined) readPart(sheet, new SheetVisitor(strings, parts, part, into), into);
  }
}

/** Returns the shared texts. A cell contains the index of its text in this list. */
function sharedStrings(xml: string, into: Collector): string[] {
  const strings: string[] = [];
  const text = new CellText('si', (value) => strings.push(value));
  readPart(
    xml,
    { open: (name) => text.open(name), text: (value) => text.add(value), close: (name) => text.close(name) },
    into,
  );
  return strings;
}

/** Collects the texts of cells, without pronunciations. */
class CellText {
  readonly #element: string;
  readonly #found: (text: string) => void;
  #text: TextBuilder | undefined;
  #isText = false;
  #isPhonetic = false;

  constructor(element: string, found: (text: string) => void) {
    this.#element = element;
    this.#found = found;
  }

  open(name: string): void {
    if (name === this.#element) this.#text = new TextBuilder(MAX_CELL);
    else if (name === 'rph') this.#isPhonetic = true;
    else if (name === 't' || name === 'v') this.#isText = true;
  }

  add(value: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text?.add(value);
  }

  close(name: string): void {
    if (name === 'rph') this.#isPhonetic = false;
    else if (name === 't' || name === 'v') this.#isText = false;
    else if (name === this.#element && this.#text) {
      this.#found(this.#text.toString());
      this.#text = undefined;
    }
  }
}

class SheetVisitor implements XmlVisitor {
  readonly #into: Collector;
  readonly #cell: CellText;
  readonly #parts: PackageParts;
  readonly #part: string;
  #relations: ReturnType<typeof relationsOf> | undefined;
  #type = '';

  constructor(strings: readonly string[], parts: PackageParts, part: string, into: Collector) {
    this.#into = into;
    this.#parts = parts;
    this.#part = part;
    this.#cell = new CellText('c', (value) => {
      // Cells with a truth value or an error are skipped.
      if (this.#type === 'b' || this.#type === 'e') return;
      into.text.breakWord();
      into.text.add(this.#type === 's' ? (strings[Number(value)] ?? '') : value);
    });
  }

  get done(): boolean {
    return this.#into.text.full;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'c') this.#type = attributes.get('t') ?? '';
    this.#cell.open(name);
    if (name !== 'hyperlink') return;
    this.#relations ??= relationsOf(this.#parts, this.#part, this.#into);
    const href = externalOf(this.#relations, attributes.get('?:id'));
    if (href !== undefined) this.#into.addLink(href);
  }

  text(value: string): void {
    this.#cell.add(value);
  }

  close(name: string): void {
    this.#cell.close(name);
  }
}
