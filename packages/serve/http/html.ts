import { replaceUnseen } from '../../util/index.js';

/** Markup that is safe to send: made by {@link html}, or stated to be by {@link markup}. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template. Nothing is written for `undefined`, `false` and an empty list. */
export type Piece = Html | string | number | false | undefined | readonly Piece[];

/** Fills a template: all that is not {@link Html} is escaped, for text and for attributes in quotes. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(parts.reduce((text, part, i) => text + write(pieces[i - 1]) + part));
}

/** States that a text is markup. Only for what this program wrote itself. */
export function markup(text: string): Html {
  return new Html(text);
}

function write(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.toString();
  return typeof piece === 'object' ? piece.map(write).join('') : escapeText(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return replaceUnseen(text, '').replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}
