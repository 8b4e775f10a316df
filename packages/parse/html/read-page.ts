import { isUtf8 } from 'node:buffer';
import type { ParseInput } from '../../plugin-api/index.js';
import { changedEncoding, encodingOf, type ChosenEncoding } from '../charset/charset.js';
import type { Encoding } from '../charset/encodings.js';
import { scanHtml } from './scan/html-scan.js';
import { parseTree, walkTree } from './html-tree.js';
import { MAX_ELEMENTS, MAX_SRCDOC_DEPTH } from '../shared/limits.js';
import { PageBody } from './page-body.js';
import { PageHead } from './page-head.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { RobotsReader } from '../shared/robots-directives.js';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** What was seen of a document. */
export interface SeenDocument {
  readonly robots: RobotsReader;
  readonly head: PageHead;
  readonly body: PageBody;
  /** It was read in part. */
  readonly truncated: boolean;
}

/** What was seen of a page. */
export interface SeenPage extends SeenDocument {
  readonly charset: ChosenEncoding;
}

/**
 * Reads a page. Where a `meta` element that the prescan did not find names another encoding, it is read again in that.
 * Undefined when time was up.
 */
export function readPage(input: ParseInput, settings: ParseSettings, expired: () => boolean): SeenPage | undefined {
  const { content, headers } = input;
  const charset = encodingOf(content, headers['content-type'], settings.parser.characterEncodingDefault);
  const seen = readBytes(charset.encoding, input, settings, expired);
  const changed = seen && changedEncoding(charset, seen.head.encodingLabel);
  if (!changed) return seen && { ...seen, charset };
  const again = readBytes(changed.encoding, input, settings, expired);
  return again && { ...again, charset: changed };
}

function readBytes(
  encoding: Encoding,
  input: ParseInput,
  settings: ParseSettings,
  expired: () => boolean,
): SeenDocument | undefined {
  const { content, contentType, headers } = input;
  const isXhtml = contentType === 'application/xhtml+xml';
  return new DocumentReader(settings, expired).read(sourceOf(content, encoding), isXhtml, headers['x-robots-tag']);
}

/** A document, in UTF-8 for the scanner, and as text for its tree. */
interface Source {
  readonly utf8: Buffer;
  readonly text: () => string;
}

function sourceOf(content: Uint8Array, encoding: Encoding): Source {
  if (encoding.name !== 'utf-8' || !isUtf8(content)) return sourceOfText(encoding.decode(content));
  const utf8 = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const isMarked = utf8.subarray(0, UTF8_MARK.length).equals(UTF8_MARK);
  return { utf8: isMarked ? utf8.subarray(UTF8_MARK.length) : utf8, text: () => encoding.decode(content) };
}

function sourceOfText(text: string): Source {
  return { utf8: Buffer.from(text), text: () => text };
}

/** Reads a page with the `srcdoc` documents in it, within the bounds that they have together. */
class DocumentReader {
  readonly #settings: ParseSettings;
  readonly #expired: () => boolean;
  #depth = 0;
  #elementsLeft = MAX_ELEMENTS;
  /** Time was up in a document within the page. */
  #timedOut = false;

  constructor(settings: ParseSettings, expired: () => boolean) {
    this.#settings = settings;
    this.#expired = expired;
  }

  /** Reads a document: by the scanner where that is sure, else from its tree. Undefined when time was up. */
  read(source: Source, isXhtml: boolean, robotsHeader?: string): SeenDocument | undefined {
    if (!isXhtml) {
      const scanned = this.#begin(robotsHeader);
      const isSure = scanHtml(source.utf8, scanned.body, MAX_ELEMENTS);
      if (this.#timedOut) return undefined;
      if (isSure) return { ...scanned, truncated: scanned.body.truncated };
    }
    // What the scanner saw before it gave up is read again.
    if (this.#depth === 0) this.#elementsLeft = MAX_ELEMENTS;
    const limit = this.#depth === 0 ? MAX_ELEMENTS : this.#elementsLeft;
    const tree = parseTree(source.text(), limit, this.#expired, isXhtml);
    if (!tree) return undefined;
    if (this.#depth > 0) this.#elementsLeft = Math.max(0, this.#elementsLeft - tree.elements);
    const read = this.#begin(robotsHeader);
    walkTree(tree, read.body);
    return this.#timedOut ? undefined : { ...read, truncated: tree.truncated || read.body.truncated };
  }

  #begin(robotsHeader: string | undefined) {
    const robots = new RobotsReader(this.#settings.http.agentName, robotsHeader);
    const head = new PageHead(robots);
    const body = new PageBody(this.#settings, head, (srcdoc, into) => this.#readInner(srcdoc, into));
    return { robots, head, body };
  }

  /** Adds a document in an `iframe` to the one that it is in, as far as it allows that. */
  #readInner(srcdoc: string, into: PageBody): void {
    if (this.#depth >= MAX_SRCDOC_DEPTH || this.#timedOut) {
      into.truncated = true;
      return;
    }
    this.#depth++;
    const seen = this.read(sourceOfText(srcdoc), false);
    this.#depth--;
    if (!seen) {
      this.#timedOut = true;
      return;
    }
    const { noindex, nofollow } = seen.robots.directives;
    if (!noindex) into.text.add(seen.body.text.toString());
    if (!nofollow) into.links.addInner(seen.body.links, seen.head.base);
    into.truncated ||= seen.truncated || seen.body.text.full;
  }
}
