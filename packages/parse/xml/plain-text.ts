import { Parser } from 'htmlparser2';
import { TextBuilder } from '../shared/text-builder.js';

const CODE = /^(?:script|style)$/;
const INLINE = /^(?:a|abbr|b|bdi|bdo|cite|code|em|font|i|mark|q|s|small|span|strong|sub|sup|u|wbr)$/;

/** Collects the text of HTML elements while they open and close, at most `limit` characters. */
export class MarkupText {
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
