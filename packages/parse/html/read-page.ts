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
  return new DocumentReader(settings, expired).read(encoding.decode(content), isXhtml, headers['x-robots-tag']);
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
  read(text: string, isXhtml: boolean, robotsHeader?: string): SeenDocument | undefined {
    if (!isXhtml) {
      const scanned = this.#begin(robotsHeader);
      const isSure = scanHtml(text, scanned.body, MAX_ELEMENTS);
      if (this.#timedOut) return undefined;
      if (isSure) return { ...scanned, truncated: scanned.body.truncated };
    }
    // What the scanner saw before it gave up is read again.
    if (this.#depth === 0) this.#elementsLeft = MAX_ELEMENTS;
    const limit = this.#depth === 0 ? MAX_ELEMENTS : this.#elementsLeft;
    const tree = parseTree(text, limit, this.#expired, isXhtml);
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
    const seen = this.read(srcdoc, false);
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
