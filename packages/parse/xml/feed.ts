import { resolveLink } from '../../url/index.js';
import { MAX_METADATA_VALUE, MAX_SUMMARY_LENGTH, MAX_TITLE_LENGTH } from '../shared/limits.js';
import { LinkCollector } from '../shared/link-collector.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { atomTextForm, FeedText, type TextForm } from './feed-text.js';
import { statedTime } from './stated-time.js';
import { TextBuilder } from '../shared/text-builder.js';
import { localName } from './xml-names.js';
import { hasUnknownEntity, type XmlVisitor } from './xml-reader.js';

const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry']);
const FEEDS: ReadonlySet<string> = new Set(['channel', 'feed']);
const URLS: ReadonlySet<string> = new Set(['link', 'guid', 'id']);
const TIMES: ReadonlySet<string> = new Set(['updated', 'modified', 'published', 'pubdate', 'dc:date']);
const SUMMARIES: ReadonlySet<string> = new Set(['description', 'summary', 'content', 'content:encoded']);

/** Matches the name of a relation, alone or in a full URL. */
const RELATION = /^(?:https?:\/\/www\.iana\.org\/assignments\/relation\/)?([\w.-]+)$/;

/** The content of an entry. The links are absolute URLs. */
interface Entry {
  title: string;
  summary: string;
  /** All links of the entry. They may differ in language or type. */
  readonly links: string[];
  /** The id of the entry. If the entry states no id, its link is the id. */
  id: string | undefined;
  lastModified: number | undefined;
}

interface OpenField {
  readonly name: string;
  readonly depth: number;
  readonly text: FeedText;
}

/**
 * Reads a feed: RSS 0.9x, 1.0 and 2.0, and Atom, whose elements may also occur in RSS. It collects all links from entries to pages; the
 * title of an entry is the anchor of its links. It also collects the links of the feed itself: to its site, and to its later pages. The
 * base of links is `xml:base`, else the URL of the feed. Texts of RSS are HTML. A text of Atom has the form that its `type` names.
 */
export class FeedReader implements XmlVisitor {
  readonly links: LinkCollector;
  readonly content: TextBuilder;
  title = '';
  description = '';
  language: string | undefined;
  readonly #settings: ParseSettings;
  /** Names of the open elements, outermost first. Names of Atom are without prefix here. */
  readonly #open: string[] = [];
  /** The values of `xml:base` on open elements, each with the depth of its element. */
  readonly #bases: { readonly depth: number; readonly url: string }[];
  /** Whether the feed is Atom. Undefined: the root element was not read yet. */
  #isAtom: boolean | undefined;
  #entry: Entry | undefined;
  #field: OpenField | undefined;

  constructor(url: string, settings: ParseSettings) {
    this.#settings = settings;
    this.#bases = [{ depth: 0, url }];
    this.links = new LinkCollector(settings.db.maxOutlinkLength);
    this.content = new TextBuilder(settings.parser.textLimit);
  }

  open(given: string, attributes: ReadonlyMap<string, string>): void {
    const parent = this.#open.at(-1) ?? '';
    const name = given.startsWith('atom:') ? localName(given) : given;
    const depth = this.#open.push(name);
    this.#isAtom ??= name === 'feed';
    const base = this.#resolve(attributes.get('xml:base'));
    if (base !== undefined) this.#bases.push({ depth, url: base });
    if (this.#field) return this.#field.text.open(localName(name));
    if (depth <= 2) this.language ??= attributes.get('xml:lang');
    if (!this.#entry && ENTRIES.has(name)) {
      const id = this.#resolve(attributes.get('rdf:about'));
      this.#entry = { title: '', summary: '', links: [], id, lastModified: undefined };
    } else if (ENTRIES.has(parent) || FEEDS.has(parent)) {
      const isAtom = this.#isAtom || name !== given;
      if (name === 'link' && attributes.has('href')) this.#readLink(attributes);
      else if (name !== 'guid' || attributes.get('ispermalink')?.toLowerCase() !== 'false') {
        this.#collect(name, depth, isAtom && !URLS.has(name) ? atomTextForm(attributes) : 'html');
      }
    }
  }

  text(value: string): void {
    this.#field?.text.add(value);
  }

  close(_name: string, source: () => string): void {
    const depth = this.#open.length;
    const name = this.#open.pop()!;
    if (this.#field?.depth === depth) {
      const { name: field, text } = this.#field;
      this.#field = undefined;
      if (!URLS.has(field) || !hasUnknownEntity(source())) {
        if (this.#entry) this.#readEntryField(this.#entry, field, text);
        else this.#readFeedField(field, text);
      }
    } else if (this.#field) {
      this.#field.text.close(localName(name));
    } else if (this.#entry && ENTRIES.has(name)) {
      this.#addEntry(this.#entry);
      this.#entry = undefined;
    }
    if (this.#bases.at(-1)?.depth === depth) this.#bases.pop();
  }

  #collect(name: string, depth: number, form: TextForm): void {
    // The limit is larger by one, so that a URL that is too long can be recognised.
    const limit = SUMMARIES.has(name)
      ? MAX_SUMMARY_LENGTH
      : Math.max(MAX_TITLE_LENGTH, this.#settings.db.maxOutlinkLength + 1);
    this.#field = { name, depth, text: new FeedText(form, limit) };
  }

  #readFeedField(name: string, field: FeedText): void {
    if (name === 'title') this.title ||= this.#addText(field.text(MAX_TITLE_LENGTH));
    else if (name === 'description' || name === 'subtitle')
      this.description ||= this.#addText(field.text(MAX_METADATA_VALUE));
    else if (name === 'language') this.language ??= field.source;
    else if (name === 'link') this.#addLink(this.#resolve(field.source), '');
  }

  #readEntryField(entry: Entry, name: string, field: FeedText): void {
    if (name === 'title') entry.title ||= field.text(MAX_TITLE_LENGTH);
    else if (SUMMARIES.has(name)) entry.summary ||= field.text(MAX_SUMMARY_LENGTH);
    else if (TIMES.has(name)) entry.lastModified = latest(entry.lastModified, statedTime(field.source));
    else if (name === 'link') addTo(entry, this.#resolve(field.source));
    // In RSS, the id of an entry is mostly a URL. In Atom, the id is mostly not a URL, but entries have a link.
    else if (name === 'guid' && /^https?:/i.test(field.source)) entry.id ??= this.#resolve(field.source);
  }

  #readLink(attributes: ReadonlyMap<string, string>): void {
    const relation = RELATION.exec(attributes.get('rel')?.trim().toLowerCase() ?? 'alternate')?.[1] ?? '';
    const url = this.#resolve(attributes.get('href'));
    if (this.#entry && relation === 'alternate') addTo(this.#entry, url);
    if (!this.#entry && /^(?:alternate|next|prev-archive)$/.test(relation)) this.#addLink(url, '');
  }

  #addEntry({ title, summary, links, id, lastModified }: Entry): void {
    this.#addText(title);
    this.#addText(summary);
    for (const url of links.length > 0 ? links : [id]) {
      const found = this.#addLink(url, title);
      if (found && lastModified !== undefined)
        found.lastModified = Math.max(lastModified, found.lastModified ?? -Infinity);
    }
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

function addTo({ links }: Entry, url: string | undefined): void {
  if (url !== undefined) links.push(url);
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
