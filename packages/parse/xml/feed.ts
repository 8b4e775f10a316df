import { resolveLink } from '../../url/index.js';
import { MAX_METADATA_VALUE, MAX_SUMMARY_LENGTH, MAX_TITLE_LENGTH } from '../shared/limits.js';
import { LinkCollector } from '../shared/link-collector.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { plainText } from './plain-text.js';
import { statedTime } from './stated-time.js';
import { TextBuilder } from '../shared/text-builder.js';
import { hasUnknownEntity, type XmlVisitor } from './xml-reader.js';

const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry']);
const FEEDS: ReadonlySet<string> = new Set(['channel', 'feed']);
const LINKS: ReadonlySet<string> = new Set(['link', 'atom:link']);
const URLS: ReadonlySet<string> = new Set([...LINKS, 'guid', 'id']);
const TIMES: ReadonlySet<string> = new Set(['updated', 'modified', 'published', 'pubdate', 'dc:date']);
const SUMMARIES: ReadonlySet<string> = new Set(['description', 'summary', 'content', 'content:encoded']);

/** What an entry says. The links are absolute. */
interface Entry {
  title: string;
  summary: string;
  link: string | undefined;
  /** What names the entry, and leads to it where it has no link. */
  id: string | undefined;
  lastModified: number | undefined;
}

/** An element whose text is being collected, that of elements in it included. */
interface OpenField {
  readonly name: string;
  readonly depth: number;
  readonly text: TextBuilder;
}

/**
 * Reads a feed: RSS 0.9x, 1.0 and 2.0, and Atom. Links are those of the entries, with their titles as anchors, and those
 * of the feed itself: its site and its further pages. They are resolved on `xml:base`, else on the URL of the feed.
 */
export class FeedReader implements XmlVisitor {
  readonly links: LinkCollector;
  readonly content: TextBuilder;
  title = '';
  description = '';
  language: string | undefined;
  readonly #settings: ParseSettings;
  /** Names of the open elements, outermost first. */
  readonly #open: string[] = [];
  /** `xml:base` of the open elements that have one, by their depth. */
  readonly #bases: { readonly depth: number; readonly url: string }[];
  #entry: Entry | undefined;
  #field: OpenField | undefined;

  /** @param url of the feed */
  constructor(url: string, settings: ParseSettings) {
    this.#settings = settings;
    this.#bases = [{ depth: 0, url }];
    this.links = new LinkCollector(settings.db.maxOutlinkLength);
    this.content = new TextBuilder(settings.parser.textLimit);
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    const parent = this.#open.at(-1) ?? '';
    const depth = this.#open.push(name);
    const base = this.#resolve(attributes.get('xml:base'));
    if (base !== undefined) this.#bases.push({ depth, url: base });
    if (this.#field) return this.#field.text.breakWord();
    if (depth <= 2) this.language ??= attributes.get('xml:lang');
    if (!this.#entry && ENTRIES.has(name)) {
      const id = this.#resolve(attributes.get('rdf:about'));
      this.#entry = { title: '', summary: '', link: undefined, id, lastModified: undefined };
    } else if (ENTRIES.has(parent) || FEEDS.has(parent)) {
      if (LINKS.has(name) && attributes.has('href')) this.#readLink(attributes);
      else if (name !== 'guid' || attributes.get('ispermalink')?.toLowerCase() !== 'false') this.#collect(name, depth);
    }
  }

  text(value: string): void {
    this.#field?.text.add(value);
  }

  close(name: string, source: () => string): void {
    const depth = this.#open.length;
    if (this.#field?.depth === depth) {
      const { name: field, text } = this.#field;
      this.#field = undefined;
      const value = URLS.has(field) && hasUnknownEntity(source()) ? '' : text.toString();
      if (this.#entry) this.#readEntryField(this.#entry, field, value);
      else this.#readFeedField(field, value);
    } else if (!this.#field && this.#entry && ENTRIES.has(name)) {
      this.#addEntry(this.#entry);
      this.#entry = undefined;
    }
    if (this.#bases.at(-1)?.depth === depth) this.#bases.pop();
    this.#open.pop();
  }

  #collect(name: string, depth: number): void {
    // One more than is kept, so that a URL that is too long is seen to be.
    const limit = SUMMARIES.has(name)
      ? MAX_SUMMARY_LENGTH
      : Math.max(MAX_TITLE_LENGTH, this.#settings.db.maxOutlinkLength + 1);
    this.#field = { name, depth, text: new TextBuilder(limit) };
  }

  #readFeedField(name: string, value: string): void {
    if (name === 'title') this.title ||= this.#addText(plainText(value, MAX_TITLE_LENGTH));
    else if (name === 'description' || name === 'subtitle')
      this.description ||= this.#addText(plainText(value, MAX_METADATA_VALUE));
    else if (name === 'language') this.language ??= value;
    else if (LINKS.has(name)) this.#addLink(this.#resolve(value), '');
  }

  #readEntryField(entry: Entry, name: string, value: string): void {
    if (name === 'title') entry.title ||= plainText(value, MAX_TITLE_LENGTH);
    else if (SUMMARIES.has(name)) entry.summary ||= plainText(value, MAX_SUMMARY_LENGTH);
    else if (TIMES.has(name)) entry.lastModified = latest(entry.lastModified, statedTime(value));
    else if (LINKS.has(name)) entry.link ??= this.#resolve(value);
    // A name of RSS is mostly a URL, that of Atom mostly none, and Atom entries have a link.
    else if (name === 'guid' && /^https?:/i.test(value)) entry.id ??= this.#resolve(value);
  }

  /** A link in the form of Atom, which RSS has as well. */
  #readLink(attributes: ReadonlyMap<string, string>): void {
    const relation = attributes.get('rel')?.trim().toLowerCase() ?? 'alternate';
    const url = this.#resolve(attributes.get('href'));
    if (this.#entry && relation === 'alternate') this.#entry.link ??= url;
    if (!this.#entry && /^(?:alternate|next|prev-archive)$/.test(relation)) this.#addLink(url, '');
  }

  #addEntry({ title, summary, link, id, lastModified }: Entry): void {
    this.#addText(title);
    this.#addText(summary);
    const found = this.#addLink(link ?? id, title);
    if (found && lastModified !== undefined)
      found.lastModified = Math.max(lastModified, found.lastModified ?? -Infinity);
  }

  #addLink(url: string | undefined, title: string) {
    const link = url === undefined ? undefined : this.links.add(url);
    if (!link) return undefined;
    const anchor = new TextBuilder(this.#settings.db.maxAnchorLength);
    anchor.add(title);
    link.anchor ||= anchor.toString();
    return link;
  }

  #addText(text: string): string {
    this.content.breakWord();
    this.content.add(text);
    return text;
  }

  #resolve(reference: string | undefined): string | undefined {
    const trimmed = reference?.trim() ?? '';
    if (trimmed === '' || trimmed.length > this.#settings.db.maxOutlinkLength) return undefined;
    const base = this.#bases.at(-1)?.url ?? '';
    return resolveLink(trimmed, base) ?? undefined;
  }
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
