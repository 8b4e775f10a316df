import { createHash } from 'node:crypto';
import { replaceUnseen } from '../../util/index.js';

/** Markup that is safe: it was made by {@link html}, or declared safe by {@link markup}. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** A value in a template. For `undefined`, `false` and an empty list, nothing is written. */
export type Piece = Html | string | number | false | undefined | readonly Piece[];

/** Fills a template. Values other than {@link Html} are escaped, so that they are safe in text and in quoted attributes. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(parts.reduce((text, part, i) => text + write(pieces[i - 1]) + part));
}

/** Declares a text to be safe markup. Use it only for text that this program has written itself. */
export function markup(text: string): Html {
  return new Html(text);
}

/** The script of a page, and the content security policy of this page: only this script may run, and it may connect only to this server. */
export interface PageScript {
  readonly element: Html;
  readonly policy: string;
}

/** Makes the element of a script. The digest in the policy is of exactly these characters. */
export function pageScript(text: string): PageScript {
  const digest = createHash('sha256').update(text).digest('base64');
  return {
    element: markup(`<script>${text}</script>`),
    policy:
      `default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; ` +
      `frame-ancestors 'none'; script-src 'sha256-${digest}'`,
  };
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
