import { labelInPragma, metaEncoding } from '../charset/encodings.js';
import { isJsonLd, JsonLd, jsonLdValues } from './json-ld.js';
import { MAX_ALTERNATES, MAX_METADATA, MAX_METADATA_NAME, MAX_METADATA_VALUE } from '../shared/limits.js';
import { tokens, type PageElement } from './page-element.js';
import { parseRefresh, type Refresh } from './refresh.js';
import type { RobotsReader } from '../shared/robots-directives.js';
import { TextBuilder } from '../shared/text-builder.js';

/** The properties to read from a JSON-LD node, and their names in the metadata. */
const JSON_LD_FIELDS: readonly (readonly [property: string, name: string])[] = [
  ['@type', 'jsonld:type'],
  ['headline', 'jsonld:headline'],
  ['name', 'jsonld:name'],
  ['datePublished', 'jsonld:datepublished'],
  ['dateModified', 'jsonld:datemodified'],
  ['uploadDate', 'jsonld:uploaddate'],
];

/**
 * The data about a page from its `html`, `base`, `link` and `meta` elements, and from JSON-LD. These elements are read anywhere in the
 * page, because a stray element in the head moves everything after it into the body. If a value occurs several times, the first value
 * that is not empty is used. Robots directives are combined.
 */
export class PageHead {
  readonly #robots: RobotsReader;
  readonly #metadata = new Map<string, string>();
  readonly #jsonLd = new JsonLd();
  /** The pages in other languages, by language tag in lower case or `x-default`. URLs are as written. */
  readonly alternates = new Map<string, string>();
  /** The URL of the `base` element as written. */
  base: string | undefined;
  canonical: string | undefined;
  language: string | undefined;
  refresh: Refresh | undefined;
  /** Whether the page has a script that browsers run. */
  runsScripts = false;
  /** The first label of a known encoding in a `meta` element. A `meta` in a template is ignored. */
  encodingLabel: string | undefined;

  constructor(robots: RobotsReader) {
    this.#robots = robots;
  }

  /** Metadata by its name in lower case, including statements of the JSON-LD nodes that describe the page. */
  get metadata(): Record<string, string> {
    const found = new Map<string, string>();
    for (const node of this.#jsonLd.nodesByKind()) {
      for (const [property, name] of JSON_LD_FIELDS) {
        const [value] = jsonLdValues(node[property]);
        if (typeof value === 'string' && value.trim() !== '') addMetadata(found, name, value);
      }
    }
    return Object.fromEntries([...found, ...this.#metadata].slice(0, MAX_METADATA));
  }

  /**
   * Reads an element.
   * @param inNoscript whether the element is in a `noscript`. A refresh there is ignored, because it mostly leads to a page that asks for
   *   scripts
   */
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
        if (isJsonLd(element.attribute('type'))) this.#jsonLd.add(element.textInside());
        else this.runsScripts ||= /^$|^module$|javascript/i.test(element.attribute('type') ?? '');
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
    if (name !== undefined) addMetadata(this.#metadata, name, content);
    if (property !== undefined) addMetadata(this.#metadata, property, content);
  }

  #readLink(element: PageElement): void {
    const relations = tokens(element.attribute('rel'));
    const href = element.attribute('href');
    if (href === undefined) return;
    if (relations.includes('canonical')) this.canonical ??= href;
    const language = languageTag(element.attribute('hreflang'))?.toLowerCase();
    if (!relations.includes('alternate') || language === undefined) return;
    // Style sheets may also be `alternate`, but they are no versions of the page.
    if (relations.includes('stylesheet') || this.alternates.size >= MAX_ALTERNATES) return;
    if (!this.alternates.has(language)) this.alternates.set(language, href);
  }

  #setEncoding(label: string | undefined): void {
    if (this.encodingLabel !== undefined || label === undefined) return;
    if (metaEncoding(label)) this.encodingLabel = label;
  }

  #setLanguage(tag: string | undefined): void {
    this.language ??= languageTag(tag);
  }
}

function addMetadata(metadata: Map<string, string>, name: string, content: string): void {
  if (!/^[a-z][\w.:-]*$/.test(name) || name.length > MAX_METADATA_NAME) return;
  if (metadata.has(name) || metadata.size >= MAX_METADATA) return;
  const value = new TextBuilder(MAX_METADATA_VALUE);
  value.add(content);
  metadata.set(name, value.toString());
}

/**
 * Returns a language tag in the form of BCP 47, also for a tag that is written as a locale (`en_US`). Undefined: it is not a language
 * tag, such as a list of tags.
 */
export function languageTag(tag: string | undefined): string | undefined {
  const trimmed = tag !== undefined && tag.length <= 64 ? tag.trim().replaceAll('_', '-') : '';
  return /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(trimmed) ? trimmed : undefined;
}
