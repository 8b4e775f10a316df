import { Parser } from 'htmlparser2';
import { TextBuilder } from '../shared/text-builder.js';

/**
 * The form of the content of an element. `html`: HTML source. `xml`: text, in which elements are markup. `none`: the content is not text.
 */
export type TextForm = 'html' | 'xml' | 'none';

/**
 * Returns the form of the content of an Atom element, by its attribute `type` (RFC 4287, sections 3.1.1 and 4.1.3), and in Atom 0.3 also
 * by `mode`. For content such as a picture in base64, the result is `none`.
 */
export function atomTextForm(attributes: ReadonlyMap<string, string>): TextForm {
  const type = attributes.get('type')?.split(';', 1)[0]?.trim().toLowerCase() ?? 'text';
  const mode = attributes.get('mode')?.trim().toLowerCase();
  if (mode === 'base64') return 'none';
  if (type === 'html' || type === 'text/html') return mode === 'xml' ? 'xml' : 'html';
  const isText = !type.includes('/') || type.startsWith('text/') || /[/+]xml$/.test(type);
  return isText ? 'xml' : 'none';
}

/** Collects the text of an element of a feed, including the text of the elements inside. */
export class FeedText {
  readonly #form: TextForm;
  readonly #source: MarkupText;

  /** @param limit maximum characters of the source */
  constructor(form: TextForm, limit: number) {
    this.#form = form;
    this.#source = new MarkupText(limit);
  }

  open(name: string): void {
    this.#source.open(name);
  }

  add(value: string): void {
    if (this.#form !== 'none') this.#source.add(value);
  }

  close(name: string): void {
    this.#source.close(name);
  }

  /** The text as written, with its markup. */
  get source(): string {
    return this.#source.toString();
  }

  text(limit: number): string {
    if (this.#form === 'html') return plainText(this.source, limit);
    const text = new MarkupText(limit);
    text.add(this.source);
    return text.toString();
  }
}

const CODE = /^(?:script|style)$/;
const INLINE = /^(?:a|abbr|b|bdi|bdo|cite|code|em|font|i|mark|q|s|small|span|strong|sub|sup|u|wbr)$/;

/** Collects the text of HTML elements while they open and close, at most `limit` characters. */
class MarkupText {
  readonly #text: TextBuilder;
  #inCode = false;

  constructor(limit: number) {
    this.#text = new TextBuilder(limit);
  }

  open(name: string): void {
    if (CODE.test(name)) this.#inCode = true;
    if (!INLINE.test(name)) this.#text.breakWord();
  }

  add(value: string): void {
    if (!this.#inCode) this.#text.add(value);
  }

  close(name: string): void {
    if (CODE.test(name)) this.#inCode = false;
    if (!INLINE.test(name)) this.#text.breakWord();
  }

  toString(): string {
    return this.#text.toString();
  }
}

/** The text of a short piece of HTML, as in feeds, at most `limit` characters. */
export function plainText(markup: string, limit: number): string {
  const text = new MarkupText(limit);
  const parser = new Parser({
    onopentagname: (name) => text.open(name),
    ontext: (value) => text.add(value),
    onclosetag: (name) => text.close(name),
  });
  parser.end(markup);
  return text.toString();
}
