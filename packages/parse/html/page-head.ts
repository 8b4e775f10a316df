import { labelInPragma, metaEncoding } from '../charset/encodings.js';
import { readJsonLd } from './json-ld.js';
import {
  MAX_ALTERNATES,
  MAX_JSON_LD_BLOCKS,
  MAX_METADATA,
  MAX_METADATA_NAME,
  MAX_METADATA_VALUE,
} from '../shared/limits.js';
import { tokens, type PageElement } from './page-element.js';
import { parseRefresh, type Refresh } from './refresh.js';
import type { RobotsReader } from '../shared/robots-directives.js';
import { TextBuilder } from '../shared/text-builder.js';

/**
 * What a page says of itself in `html`, `base`, `link` and `meta` elements, and in JSON-LD. Where they are does not count: a stray
 * element in the head moves all that follows into the body. Of several, the first that says something counts, but for
 * robots, of which all count.
 */
export class PageHead {
  readonly #robots: RobotsReader;
  readonly #metadata = new Map<string, string>();
  #jsonLdBlocks = 0;
  /** References to this page in other languages, by language tag in lower case or `x-default`. */
  readonly alternates = new Map<string, string>();
  /** As written in the page. */
  base: string | undefined;
  canonical: string | undefined;
  language: string | undefined;
  refresh: Refresh | undefined;
  /** The first label of a known encoding; a `meta` in a template is not looked at. */
  encodingLabel: string | undefined;

  constructor(robots: RobotsReader) {
    this.#robots = robots;
  }

  /** By name in lower case. */
  get metadata(): Record<string, string> {
    return Object.fromEntries(this.#metadata);
  }

  /** @param inNoscript a refresh there is meant for browsers that want scripts, and mostly leads to a page that says so */
  read(element: PageElement, inNoscript: boolean): void {
    switch (element.tagName) {
      case 'html':
        this.#setLanguage(element.attribute('lang') ?? element.attribute('xml:lang'));
        break;
      case 'base':
        this.base ??= element.attribute('href');
        break;
      case 'link':
        this.#readLink(element);
        break;
      case 'script':
        if (essence(element.attribute('type')) === 'application/ld+json') this.#readJsonLd(element);
        break;
      case 'meta':
        this.#readMeta(element, inNoscript);
    }
  }

  #readMeta(element: PageElement, inNoscript: boolean): void {
    const content = element.attribute('content');
    const pragma = element.attribute('http-equiv')?.toLowerCase();
    this.#setEncoding(element.attribute('charset'));
    if (content === undefined) return;
    if (pragma === 'content-type') this.#setEncoding(labelInPragma(content));
    if (pragma === 'refresh' && !inNoscript) this.refresh ??= parseRefresh(content);
    if (pragma === 'content-language') this.#setLanguage(content);
    const name = element.attribute('name')?.trim().toLowerCase();
    const property = element.attribute('property')?.trim().toLowerCase();
    if (name !== undefined) this.#robots.addMeta(name, content);
    else if (property !== undefined) this.#robots.addMeta(property, content);
    if (name !== undefined) this.#addMetadata(name, content);
    if (property !== undefined) this.#addMetadata(property, content);
  }

  #readLink(element: PageElement): void {
    const relations = tokens(element.attribute('rel'));
    const href = element.attribute('href');
    if (href === undefined) return;
    if (relations.includes('canonical')) this.canonical ??= href;
    const language = languageTag(element.attribute('hreflang'))?.toLowerCase();
    if (!relations.includes('alternate') || language === undefined) return;
    // A style sheet may be alternate too.
    if (relations.includes('stylesheet') || this.alternates.size >= MAX_ALTERNATES) return;
    if (!this.alternates.has(language)) this.alternates.set(language, href);
  }

  #readJsonLd(element: PageElement): void {
    if (++this.#jsonLdBlocks > MAX_JSON_LD_BLOCKS) return;
    for (const [name, value] of readJsonLd(element.textInside())) this.#addMetadata(name, value);
  }

  #addMetadata(name: string, content: string): void {
    if (!/^[a-z][\w.:-]*$/.test(name) || name.length > MAX_METADATA_NAME) return;
    if (this.#metadata.has(name) || this.#metadata.size >= MAX_METADATA) return;
    const value = new TextBuilder(MAX_METADATA_VALUE);
    value.add(content);
    this.#metadata.set(name, value.toString());
  }

  #setEncoding(label: string | undefined): void {
    if (this.encodingLabel !== undefined || label === undefined) return;
    if (metaEncoding(label)) this.encodingLabel = label;
  }

  #setLanguage(tag: string | undefined): void {
    this.language ??= languageTag(tag);
  }
}

function essence(type: string | undefined): string {
  return type?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A language tag in the form of BCP 47; undefined for anything else, as a list of several. */
export function languageTag(tag: string | undefined): string | undefined {
  const trimmed = tag !== undefined && tag.length <= 64 ? tag.trim() : '';
  return /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(trimmed) ? trimmed : undefined;
}
