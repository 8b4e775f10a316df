import { attribute, isHtml, tokens, type Element, type TreeVisitor } from './html-tree.js';
import { LinkCollector, type FoundLink } from '../shared/link-collector.js';
import { MAX_HEADING_LENGTH, MAX_HEADINGS, MAX_LINKS, MAX_TITLE_LENGTH } from '../shared/limits.js';
import type { PageHead } from './page-head.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { srcsetUrls } from './srcset.js';
import { TextBuilder } from '../shared/text-builder.js';

/** Elements that people see apart from what is before and after. */
const BREAKING = names(
  'address article aside blockquote body br button caption center col dd details dialog dir div dl dt fieldset',
  'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li listing',
  'main menu nav ol optgroup option p plaintext pre rp rt search section select summary table tbody td textarea tfoot',
  'th thead title tr ul xmp',
);

const HEADINGS = names('h1 h2 h3 h4 h5 h6');

/** Elements whose text is code, or is shown by none. */
const SILENT = names('iframe noembed noframes script style template');

/** What this walk does at elements of one name; at those of other names nothing. */
interface Role {
  readonly isBreaking: boolean;
  readonly isSilent: boolean;
  readonly isHeading: boolean;
  /** Which attribute is a link. */
  readonly link: string | undefined;
}

/** Elements that the head reads. */
const HEAD = names('base html link meta script');

/** Which attribute of an element is a link. */
const LINK_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['form', 'action'],
  ['frame', 'src'],
  ['iframe', 'src'],
  ['img', 'src'],
  ['link', 'href'],
  ['script', 'src'],
  ['source', 'src'],
]);

/** One look at the name of an element says whether there is anything to do. */
const ROLES: ReadonlyMap<string, Role> = new Map(
  [...BREAKING, ...SILENT, ...LINK_ATTRIBUTES.keys(), ...HEAD, 'noscript'].map((name) => [
    name,
    {
      isBreaking: BREAKING.has(name),
      isSilent: SILENT.has(name),
      isHeading: HEADINGS.has(name),
      link: LINK_ATTRIBUTES.get(name),
    },
  ]),
);

/** A link whose element is not closed yet. Text belongs to the innermost. */
interface OpenLink {
  readonly element: Element;
  /** Undefined when it is not to be followed. */
  readonly link: FoundLink | undefined;
  /** Made when there is something to hold: a page may open a link a hundred thousand times. */
  text: TextBuilder | undefined;
  /** What images in it say, for when there is no text. */
  alt: TextBuilder | undefined;
}

/** Reads the document of an `iframe` with `srcdoc`, and adds what is in it to the page body. */
export type ReadSrcdoc = (srcdoc: string, into: PageBody) => void;

/** Takes title, text and links from a tree in one walk, and hands the elements to the head. */
export class PageBody implements TreeVisitor {
  readonly text: TextBuilder;
  readonly links: LinkCollector;
  /** The text of each heading that has any; of one within another only that of the outer one. */
  readonly headings: string[] = [];
  readonly #settings: ParseSettings;
  readonly #head: PageHead;
  readonly #readSrcdoc: ReadSrcdoc;
  readonly #ignored: ReadonlySet<string>;
  readonly #open: OpenLink[] = [];
  #noscripts = 0;
  #title: { readonly element: Element; readonly text: TextBuilder } | undefined;
  #inTitle = false;
  #heading: { readonly element: Element; readonly text: TextBuilder } | undefined;
  /** Nothing is between here and the end of a link. */
  #afterLink = false;
  /** A document within this one was left out, or read in part. */
  truncated = false;

  constructor(settings: ParseSettings, head: PageHead, readSrcdoc: ReadSrcdoc) {
    this.#settings = settings;
    this.#head = head;
    this.#readSrcdoc = readSrcdoc;
    this.text = new TextBuilder(settings.parser.textLimit);
    this.links = new LinkCollector(settings.db.maxOutlinkLength);
    this.#ignored = new Set(settings.parser.htmlOutlinksIgnoreTags.map((tag) => tag.toLowerCase()));
  }

  /** The first `title` of the page. */
  get title(): string {
    return this.#title?.text.toString() ?? '';
  }

  enter(element: Element, inShadow = false): boolean {
    const { tagName } = element;
    const role = ROLES.get(tagName);
    if (!role) return true;
    const html = isHtml(element);
    if (html && !inShadow) this.#head.read(element, this.#noscripts > 0);
    const srcdoc = html && tagName === 'iframe' ? attribute(element, 'srcdoc') : undefined;
    if (role.link !== undefined && srcdoc === undefined && (html || tagName === 'a'))
      this.#readLink(element, role.link);
    if (html && role.isBreaking) this.#breakWord();
    if (srcdoc !== undefined) {
      this.#readSrcdoc(srcdoc, this);
      this.#breakWord();
    }
    // Links side by side, as in menus, are set apart by style sheets.
    if (tagName === 'a' && this.#afterLink) this.#breakWord();
    if (role.isSilent) return false;
    if (html && tagName === 'noscript') this.#noscripts++;
    if (html && tagName === 'title' && !inShadow && !this.#title) {
      this.#title = { element, text: new TextBuilder(MAX_TITLE_LENGTH) };
      this.#inTitle = true;
    }
    if (html && role.isHeading && !this.#heading && this.headings.length < MAX_HEADINGS) {
      this.#heading = { element, text: new TextBuilder(MAX_HEADING_LENGTH) };
    }
    return true;
  }

  leave(element: Element): void {
    const { tagName } = element;
    const role = ROLES.get(tagName);
    if (!role) return;
    const html = isHtml(element);
    if (html && role.isBreaking) this.#breakWord();
    if (html && tagName === 'noscript') this.#noscripts--;
    if (tagName === 'a') this.#afterLink = true;
    if (element === this.#title?.element) this.#inTitle = false;
    if (element === this.#heading?.element) this.#endHeading();
    const open = this.#open.at(-1);
    if (open?.element !== element) return;
    this.#open.pop();
    if (open.link) open.link.anchor ||= open.text?.toString() || open.alt?.toString() || '';
  }

  characters(value: string): void {
    this.#afterLink = false;
    this.text.add(value);
    const open = this.#open.at(-1);
    if (open?.link) (open.text ??= this.#anchorBuilder()).add(value);
    if (this.#inTitle) this.#title?.text.add(value);
    this.#heading?.text.add(value);
  }

  #endHeading(): void {
    const text = this.#heading?.text.toString() ?? '';
    this.#heading = undefined;
    if (text !== '') this.headings.push(text);
  }

  #breakWord(): void {
    this.text.breakWord();
    this.#open.at(-1)?.text?.breakWord();
    this.#heading?.text.breakWord();
  }

  #readLink(element: Element, source: string): void {
    const { tagName } = element;
    const alt = tagName === 'img' || tagName === 'area' ? this.#anchor(attribute(element, 'alt')) : '';
    const around = this.#open.at(-1);
    if (alt !== '' && tagName === 'img' && around?.link) (around.alt ??= this.#anchorBuilder()).add(` ${alt} `);
    const reference = attribute(element, source);
    if (tagName === 'img' || tagName === 'source') this.#readSrcset(element, alt);
    // An empty `src` loads nothing, while an empty `href` leads to the page itself.
    if (reference === undefined || (source === 'src' && reference.trim() === '')) return;
    if (tagName === 'form' && !this.#isLinkForm(element)) return;
    const followed = !this.#ignored.has(tagName) && !tokens(attribute(element, 'rel')).includes('nofollow');
    const link = followed ? this.links.add(reference) : undefined;
    if (tagName === 'a' || tagName === 'form') {
      this.#open.at(-1)?.text?.breakWord();
      this.#open.push({ element, link, text: undefined, alt: undefined });
    } else if (link) {
      link.anchor ||= alt;
    }
  }

  /** The same image in other sizes. */
  #readSrcset(element: Element, alt: string): void {
    const srcset = attribute(element, 'srcset');
    if (srcset === undefined || this.#ignored.has(element.tagName)) return;
    for (const url of srcsetUrls(srcset, MAX_LINKS)) {
      const link = url === '' ? undefined : this.links.add(url);
      if (link) link.anchor ||= alt;
    }
  }

  #isLinkForm(element: Element): boolean {
    const method = attribute(element, 'method')?.toLowerCase();
    return this.#settings.parser.htmlFormUseAction && method !== 'post' && method !== 'dialog';
  }

  #anchor(text: string | undefined): string {
    if (!text) return '';
    const builder = this.#anchorBuilder();
    builder.add(text);
    return builder.toString();
  }

  #anchorBuilder(): TextBuilder {
    return new TextBuilder(this.#settings.db.maxAnchorLength);
  }
}

function names(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
