import { isUtf8 } from 'node:buffer';
import { withoutUtf8Mark, type Encoding } from '../../charset/encodings.js';

/** The text of a page for the scanner. */
export interface HtmlSource {
  /** The text, or its bytes as Latin-1: alike as far as markup goes, and it may only be looked at for that. */
  readonly markup: string;
  /** A piece of the text, by places in `markup`. Quickest where each piece begins after the one before. */
  slice(from: number, to: number): string;
}

/** A page in this encoding. */
export function sourceOf(content: Uint8Array, encoding: Encoding): HtmlSource {
  if (encoding.name === 'utf-8' && isUtf8(content)) return utf8Source(withoutUtf8Mark(content));
  return textSource(encoding.decode(content));
}

/** A page that is decoded already. */
export function textSource(text: string): HtmlSource {
  return { markup: text, slice: (from, to) => text.slice(from, to) };
}

/**
 * A page in UTF-8 of which only those pieces are decoded that are asked for. Most bytes of a page are markup, and most
 * pieces ASCII.
 * @param bytes valid UTF-8 without a byte order mark
 */
function utf8Source(bytes: Uint8Array): HtmlSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const markup = buffer.toString('latin1');
  const beyondAscii = /[\x80-\xff]/g;
  /** From `searched` on, the first byte beyond ASCII. */
  let searched = 0;
  let next = 0;

  function search(from: number): void {
    beyondAscii.lastIndex = from;
    searched = from;
    next = beyondAscii.exec(markup)?.index ?? markup.length;
  }
  search(0);

  return {
    markup,
    slice(from, to) {
      if (from < searched || from > next) search(from);
      return to <= next ? markup.slice(from, to) : buffer.toString('utf8', from, to);
    },
  };
}
