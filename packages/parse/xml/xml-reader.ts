import { Parser } from 'htmlparser2';
import { MAX_XML_DEPTH } from '../shared/limits.js';

/**
 * Sees an XML document in document order. Names are in lower case and without the prefix of the root element, so that
 * `<sm:loc>` within `<sm:urlset>` is `loc`. Other prefixes stay as they are: feeds use the customary ones, and often
 * forget to declare them.
 */
export interface XmlVisitor {
  /**
   * @param attributes names in lower case
   * @param source makes the tag as written in the document
   */
  open(name: string, attributes: ReadonlyMap<string, string>, source: () => string): void;
  /** A text may come in pieces. */
  text(value: string): void;
  /**
   * Not called for what is still open where the document ends, which may have been cut.
   * @param source makes what is between the tags, from the last tag that was opened on
   */
  close(name: string, source: () => string): void;
  /** Nothing further is wanted. */
  readonly done?: boolean;
}

/** Characters between two looks at the clock. */
const PIECE = 65_536;

/**
 * Reads XML, well-formed or not, and never throws for what it holds. Entities are the five of XML and numbers; those
 * that a document defines stay as written, so nothing is loaded and nothing grows.
 *
 * @param expired asked now and then; true ends the reading
 * @returns how it ended: `truncated` when elements are nested too deep, the rest is then left out
 */
export function readXml(text: string, visitor: XmlVisitor, expired: () => boolean): 'done' | 'truncated' | 'timeout' {
  const stop = new Error('stop');
  let depth = 0;
  let ended = false;
  let prefix: string | undefined;
  /** Where the last tag that was opened ends. */
  let within = 0;
  const nameOf = (given: string): string => {
    const name = given.toLowerCase();
    return prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name;
  };
  const parser = new Parser(
    {
      onopentag(given, attribs) {
        if (++depth > MAX_XML_DEPTH) throw stop;
        // RSS 1.0 is RDF, but its own elements have no prefix.
        prefix ??= /^(?!rdf:)[^:]+:/i.exec(given)?.[0].toLowerCase() ?? '';
        const name = prefix === '' && depth === 1 && given.toLowerCase() === 'rdf:rdf' ? 'rdf' : nameOf(given);
        within = parser.endIndex + 1;
        visitor.open(name, new Map(Object.entries(attribs)), () => text.slice(parser.startIndex, parser.endIndex + 1));
        if (visitor.done) throw stop;
      },
      ontext: (value) => visitor.text(value),
      onclosetag(given) {
        depth--;
        if (!ended) visitor.close(nameOf(given), () => text.slice(within, parser.startIndex));
      },
    },
    { xmlMode: true, lowerCaseAttributeNames: true },
  );
  try {
    for (let at = 0; at < text.length; at += PIECE) {
      if (expired()) return 'timeout';
      parser.write(text.slice(at, at + PIECE));
    }
    ended = true;
    parser.end();
  } catch (error) {
    if (error !== stop) throw error;
    return depth > MAX_XML_DEPTH ? 'truncated' : 'done';
  }
  return 'done';
}

/**
 * Whether a piece of XML source has an entity that a document type would have to define. What it means is not known,
 * so a URL with one is none.
 */
export function hasUnknownEntity(source: string): boolean {
  return source.includes('&') && UNKNOWN_ENTITY.test(source.replace(/<!\[CDATA\[[^]*?(?:\]\]>|$)/g, ''));
}

const UNKNOWN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)[\p{L}_:][\p{L}\p{N}_:.-]*;/u;

/** The name of the root element, as an {@link XmlVisitor} sees it; undefined when there is none. */
export function rootName(text: string, expired: () => boolean): string | undefined {
  let root: string | undefined;
  const visitor = {
    done: false,
    open(name: string) {
      root = name;
      visitor.done = true;
    },
    text: () => undefined,
    close: () => undefined,
  };
  readXml(text, visitor, expired);
  return root;
}
