import { isUtf8 } from 'node:buffer';
import type { ParseInput } from '../../plugin-api/index.js';
import { changedEncoding, encodingOf, type ChosenEncoding } from '../charset/charset.js';
import type { Encoding } from '../charset/encodings.js';
import { scanHtml } from './scan/html-scan.js';
import { parseTree, readTree } from './html-tree.js';
import { MAX_ELEMENTS, MAX_SRCDOC_DEPTH } from '../shared/limits.js';
import { PageBody } from './page-body.js';
import { PageHead } from './head/page-head.js';
import type { TextMemory } from './page-text.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { RobotsReader } from '../shared/robots-directives.js';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

interface SeenDocument {
  readonly robots: RobotsReader;
  readonly head: PageHead;
  readonly body: PageBody;
  readonly truncated: boolean;
}

interface SeenPage extends SeenDocument {
  readonly charset: ChosenEncoding;
}

interface Reading {
  readonly settings: ParseSettings;
  readonly expired: () => boolean;
  readonly memory: TextMemory;
}

/**
 * Reads a page. If the page has a `meta` element that the prescan did not find, and this element names another encoding, the page is read
 * again in that encoding. Undefined: the time was over.
 */
export function readPage(input: ParseInput, reading: Reading): SeenPage | undefined {
  const { content, headers } = input;
  const charset = encodingOf(content, headers['content-type'], reading.settings.parser.characterEncodingDefault);
  const seen = readBytes(charset.encoding, input, reading);
  const changed = seen && changedEncoding(charset, seen.head.encodingLabel);
  if (!changed) return seen && { ...seen, charset };
  const again = readBytes(changed.encoding, input, reading);
  return again && { ...again, charset: changed };
}

function readBytes(encoding: Encoding, input: ParseInput, reading: Reading): SeenDocument | undefined {
  const { content, contentType, headers } = input;
  const isXhtml = contentType === 'application/xhtml+xml';
  return new DocumentReader(reading).read(sourceOf(content, encoding), isXhtml, headers['x-robots-tag']);
}

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

/** Reads a page and the `srcdoc` documents in it. The limits are for all these documents together. */
class DocumentReader {
  readonly #reading: Reading;
  #depth = 0;
  #elementsLeft = MAX_ELEMENTS;
  /** Whether the time was over while an inner document was read. */
  #timedOut = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Reads a document with the scanner. If the scanner gives up, the tree is built and read. Undefined: the time was over. */
  read(source: Source, isXhtml: boolean, robotsHeader?: string): SeenDocument | undefined {
    if (!isXhtml) {
      const scanned = this.#begin(robotsHeader);
      const isSure = scanHtml(source.utf8, scanned.body, MAX_ELEMENTS);
      if (this.#timedOut) return undefined;
      if (isSure) return { ...scanned, truncated: scanned.body.truncated };
    }
    // The tree is built from the start of the page, so the count of elements also begins again.
    if (this.#depth === 0) this.#elementsLeft = MAX_ELEMENTS;
    const limit = this.#depth === 0 ? MAX_ELEMENTS : this.#elementsLeft;
    const tree = parseTree(source.text(), limit, this.#reading.expired, isXhtml);
    if (!tree) return undefined;
    if (this.#depth > 0) this.#elementsLeft = Math.max(0, this.#elementsLeft - tree.elements);
    const read = this.#begin(robotsHeader);
    readTree(tree, read.body);
    return this.#timedOut ? undefined : { ...read, truncated: tree.truncated || read.body.truncated };
  }

  #begin(robotsHeader: string | undefined) {
    const { settings, memory } = this.#reading;
    const robots = new RobotsReader(settings.http.agentName, robotsHeader);
    const head = new PageHead(robots);
    const body = new PageBody(settings, head, (srcdoc, into) => this.#readInner(srcdoc, into), memory);
    return { robots, head, body };
  }

  /** Adds the document of an `iframe` to the document around it, up to the limits. */
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
    const { noindex, nofollow, maxSnippet } = seen.robots.directives;
    const from = into.text.length;
    if (!noindex) into.text.add(seen.body.text.toString());
    if (maxSnippet !== undefined || seen.body.hidden.found.starts.length > 0) into.hidden.hideFrom(from);
    if (!nofollow) into.links.addInner(seen.body.links, seen.head.base);
    into.truncated ||= seen.truncated;
  }
}
