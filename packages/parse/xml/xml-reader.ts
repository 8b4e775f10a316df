import { Parser } from 'htmlparser2';
import { MAX_XML_ATTRIBUTES, MAX_XML_DEPTH } from '../shared/limits.js';
import { XmlNames } from './xml-names.js';

/**
 * Receives the parts of an XML document in document order. Names are in lower case. A name begins with the customary prefix of its
 * namespace, even if the document uses another prefix: `atom:`, `content:`, `dc:`, `rdf:`, or `?:` for an unknown namespace. Names
 * without a namespace have no prefix. The same is true for names in the namespace of the root element, of RSS, or of sitemaps. Feeds
 * often do not declare a prefix; then the prefix has its customary meaning.
 */
export interface XmlVisitor {
  /**
   * @param attributes names of attributes are changed like names of elements; a name without a prefix stays without a prefix
   * @param source returns the tag as written in the document
   */
  open(name: string, attributes: ReadonlyMap<string, string>, source: () => string): void;
  /** A run of text may arrive in several pieces. */
  text(value: string): void;
  /**
   * Called when an element closes. It is not called for an element that is still open at the end of the document, because the document
   * may have been cut off.
   * @param source returns the content between the tags, from the last opened tag on
   */
  close(name: string, source: () => string): void;
  /** Whether the visitor needs no more content. Then reading ends. */
  readonly done?: boolean;
}

/** Of the clock. */
const CHARACTERS_PER_CHECK = 65_536;

/**
 * Reads XML, which need not be well-formed. The content never causes an error. The five entities of XML and numeric entities are decoded.
 * Entities that a document defines stay as written. So nothing is loaded, and no entity can make the document grow.
 *
 * @param expired whether the time is over; then reading ends
 * @returns how reading ended. `truncated`: elements are nested too deep, or an element has too many attributes, so the rest was left out
 */
export function readXml(text: string, visitor: XmlVisitor, expired: () => boolean): 'done' | 'truncated' | 'timeout' {
  const stop = new Error('stop');
  const names = new XmlNames();
  let ended = false;
  let isTooMuch = false;
  let attributes = 0;
  /** The position after the last opened tag. */
  let within = 0;
  const parser = new Parser(
    {
      onopentagname() {
        attributes = 0;
      },
      onattribute() {
        attributes += 1;
        if (attributes <= MAX_XML_ATTRIBUTES) return;
        isTooMuch = true;
        throw stop;
      },
      onopentag(given, attribs) {
        if (names.depth >= MAX_XML_DEPTH) {
          isTooMuch = true;
          throw stop;
        }
        const { name, attributes: own } = names.enter(given, attribs);
        within = parser.endIndex + 1;
        visitor.open(name, own, () => text.slice(parser.startIndex, parser.endIndex + 1));
        if (visitor.done) throw stop;
      },
      ontext: (value) => visitor.text(value),
      onclosetag() {
        // If a tag is cut off at the end of the document, the parser may close it. Such a call is ignored.
        if (!ended) visitor.close(names.leave(), () => text.slice(within, parser.startIndex));
      },
    },
    { xmlMode: true, lowerCaseAttributeNames: true },
  );
  try {
    for (let at = 0; at < text.length; at += CHARACTERS_PER_CHECK) {
      if (expired()) return 'timeout';
      parser.write(text.slice(at, at + CHARACTERS_PER_CHECK));
    }
    ended = true;
    parser.end();
  } catch (error) {
    if (error !== stop) throw error;
    return isTooMuch ? 'truncated' : 'done';
  }
  return 'done';
}

/**
 * Whether a piece of XML source has an entity that only a document type could define. The meaning of the entity is unknown, so a URL with
 * it is invalid.
 */
export function hasUnknownEntity(source: string): boolean {
  return source.includes('&') && UNKNOWN_ENTITY.test(source.replace(/<!\[CDATA\[[^]*?(?:\]\]>|$)/g, ''));
}

const UNKNOWN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)[\p{L}_:][\p{L}\p{N}_:.-]*;/u;

/** The name of the root element, in the form of {@link XmlVisitor}. Undefined: there is no root element. */
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
