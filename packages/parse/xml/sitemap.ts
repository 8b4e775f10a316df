import { resolveLink } from '../../url/index.js';
import { LinkCollector } from '../shared/link-collector.js';
import { statedTime } from './stated-time.js';
import { hasUnknownEntity, type XmlVisitor } from './xml-reader.js';

/** Intervals in seconds. `always` is not taken literally. `never` is the longest interval. */
const INTERVALS: ReadonlyMap<string, number> = new Map([
  ['always', 3_600],
  ['hourly', 3_600],
  ['daily', 86_400],
  ['weekly', 604_800],
  ['monthly', 2_592_000],
  ['yearly', 31_536_000],
  ['never', 31_536_000],
]);

const FIELDS: ReadonlySet<string> = new Set(['loc', 'lastmod', 'changefreq', 'priority']);

/** Maximum characters of a field other than `loc`. */
const MAX_FIELD_LENGTH = 64;

/**
 * Reads a sitemap, or a sitemap index, by the sitemaps.org protocol: `url` and `sitemap` entries with `loc`. Versions in other languages
 * are read from `xhtml:link`; its prefix may differ. Extensions (images, news) are skipped.
 */
export class SitemapReader implements XmlVisitor {
  readonly links: LinkCollector;
  readonly #url: string;
  readonly #maxLength: number;
  readonly #entry = new Map<string, string>();
  #field: string | undefined;
  #depth = 0;

  /**
   * @param url URL of the sitemap
   * @param maxLength maximum characters of a URL; longer URLs are left out
   */
  constructor(url: string, maxLength: number) {
    this.#url = url;
    this.#maxLength = maxLength;
    this.links = new LinkCollector(maxLength);
  }

  open(name: string, attributes: ReadonlyMap<string, string>, source: () => string): void {
    this.#depth++;
    if (this.#depth === 2) this.#entry.clear();
    this.#field = this.#depth === 3 && FIELDS.has(name) && !this.#entry.has(name) ? name : undefined;
    const isLink = this.#depth === 3 && /^(?:[^:]*:)?link$/.test(name);
    if (isLink && !hasUnknownEntity(source())) this.#add(attributes.get('href'));
  }

  text(value: string): void {
    if (this.#field === undefined) return;
    const before = this.#entry.get(this.#field) ?? '';
    // The limit is larger by one, so that a text that is too long can be recognised.
    const room = (this.#field === 'loc' ? this.#maxLength : MAX_FIELD_LENGTH) + 1;
    this.#entry.set(
      this.#field,
      before.length === 0 ? value.trimStart().slice(0, room) : (before + value.slice(0, room)).slice(0, room),
    );
  }

  close(name: string, source: () => string): void {
    if (this.#field === 'loc' && hasUnknownEntity(source())) this.#entry.set('loc', '');
    if (this.#depth === 2 && (name === 'url' || name === 'sitemap')) this.#addEntry(name === 'sitemap');
    this.#field = undefined;
    this.#depth--;
  }

  #addEntry(isSitemap: boolean): void {
    const link = this.#add(this.#entry.get('loc'));
    if (!link) return;
    if (isSitemap) link.sitemap = true;
    const field = (name: string) => this.#entry.get(name)?.trim().toLowerCase() ?? '';
    const lastModified = statedTime(field('lastmod').toUpperCase());
    const changeInterval = INTERVALS.get(field('changefreq'));
    const priority = /^(?:0?\.\d+|[01](?:\.\d*)?)$/.test(field('priority')) ? Number(field('priority')) : NaN;
    if (lastModified !== undefined) link.lastModified = lastModified;
    if (changeInterval !== undefined) link.changeInterval = changeInterval;
    if (priority <= 1) link.priority = priority;
  }

  #add(reference: string | undefined) {
    const trimmed = reference?.trim() ?? '';
    if (trimmed === '' || trimmed.length > this.#maxLength) return undefined;
    const url = resolveLink(trimmed, this.#url);
    return url === null ? undefined : this.links.add(url);
  }
}

/**
 * Returns the links of a text sitemap. Each line of such a text is empty or an absolute URL; it ends with CR, LF or both. Undefined: the
 * text is not a text sitemap.
 * @param cut whether the text was cut off. If so, a last line without a line end may be an incomplete URL, so it is left out
 */
export function readTextSitemap(text: string, maxLength: number, cut = false): LinkCollector | undefined {
  const links = new LinkCollector(maxLength);
  const lineEnd = /[\r\n]/g;
  let found = false;
  for (let from = 0; from < text.length;) {
    lineEnd.lastIndex = from;
    const lineBreak = lineEnd.exec(text)?.index;
    const whole = lineBreak !== undefined || !cut;
    if (found && !whole) break;
    const end = lineBreak ?? text.length;
    const line = text.slice(from, Math.min(end, from + maxLength + 2)).trim();
    from = end + 1;
    if (line === '') continue;
    if (!/^https?:\/\/\S+$/i.test(line)) return undefined;
    found = true;
    const url = whole ? resolveLink(line, line) : null;
    if (url !== null) links.add(url);
  }
  links.truncated ||= cut;
  return found ? links : undefined;
}
