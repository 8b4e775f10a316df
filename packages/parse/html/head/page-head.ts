import { resolveLink } from '../../../url/index.js';
import { labelInPragma, metaEncoding } from '../../charset/encodings.js';
import {
  MAX_HEAD_LINKS,
  MAX_METADATA,
  MAX_METADATA_NAME,
  MAX_METADATA_VALUE,
  MAX_METAS,
  MAX_META_VALUE,
} from '../../shared/limits.js';
import type { RobotsReader } from '../../shared/robots-directives.js';
import { isTimeName } from '../../shared/stated-times.js';
import { TextBuilder } from '../../shared/text-builder.js';
import { tokens, type PageElement } from '../page-element.js';
import { linkOfElement, type HeadLink } from './head-link.js';
import { isJsonLd, JsonLd, jsonLdValues } from './json-ld.js';
import { languageTag } from './language-tag.js';
import { refreshOf, type Refresh } from './refresh.js';

export interface Meta {
  readonly by: 'property' | 'name' | 'itemprop' | 'http-equiv';
  /** In lower case. */
  readonly name: string;
  /** The content with single spaces. It is not empty. */
  readonly content: string;
}

const STATING = ['canonical', 'alternate', 'image_src'];

/** The properties to read from a JSON-LD node, and their names in the metadata. */
const JSON_LD_FIELDS: readonly (readonly [property: string, name: string])[] = [
  ['@type', 'jsonld:type'],
  ['headline', 'jsonld:headline'],
  ['name', 'jsonld:name'],
  ['datePublished', 'jsonld:datepublished'],
  ['dateModified', 'jsonld:datemodified'],
  ['uploadDate', 'jsonld:uploaddate'],
  ['dateCreated', 'jsonld:datecreated'],
  ['datePosted', 'jsonld:dateposted'],
];

/**
 * What a page states about itself in its `html`, `base`, `link`, `meta` and `script` elements. Every reader of pages uses this class, so
 * that all of them read the same. The elements are read anywhere in the page, because a stray element in the head moves everything after
 * it into the body. Of several values, the first that is not empty is used. Robots directives are combined. Limits bound everything that is
 * stored.
 */
export class PageHead {
  readonly metas: Meta[] = [];
  /** The `link` elements whose relation states something about the page. */
  readonly links: HeadLink[] = [];
  base: string | undefined;
  refresh: Refresh | undefined;
  runsScripts = false;
  /** The first label of a known encoding in a `meta` element. A `meta` in a template is ignored. */
  encodingLabel: string | undefined;
  readonly #robots: RobotsReader | undefined;
  readonly #jsonLdTexts: string[] = [];
  #jsonLd: JsonLd | undefined;
  #language: string | undefined;
  #isInBody = false;

  /** @param robots gets the robots directives. Absent: the directives are not read */
  constructor(robots?: RobotsReader) {
    this.#robots = robots;
  }

  /** The JSON-LD blocks. They are parsed at the first use. */
  get jsonLd(): JsonLd {
    return (this.#jsonLd ??= new JsonLd(this.#jsonLdTexts));
  }

  /** Metadata by its name in lower case, including statements of the JSON-LD nodes that describe the page. */
  get metadata(): Record<string, string> {
    const found = new Map<string, string>();
    for (const node of this.jsonLd.nodesByKind()) {
      for (const [property, name] of JSON_LD_FIELDS) {
        const value = jsonLdValues(node[property]).find((each) => typeof each === 'string' && each.trim() !== '');
        if (typeof value === 'string') addMetadata(found, name, oneLine(value, MAX_METADATA_VALUE));
      }
    }
    for (const { by, name, content } of this.metas) {
      if (by === 'name' || by === 'property' || isTimeName(name))
        addMetadata(found, name, content.length > MAX_METADATA_VALUE ? oneLine(content, MAX_METADATA_VALUE) : content);
    }
    return Object.fromEntries(found);
  }

  /** The content of the first `meta` element that has one of these names. Earlier names take precedence. */
  meta(...names: readonly string[]): string | undefined {
    for (const wanted of names) {
      const found = this.metas.find(({ name }) => name === wanted);
      if (found) return found.content;
    }
    return undefined;
  }

  /**
   * The language as a BCP 47 tag, from the first of these that states it: `html`, a `meta` with `http-equiv`, the header, `og:locale`.
   * @param header the `Content-Language` header
   */
  languageOf(header?: string): string | undefined {
    return this.#language ?? languageTag(header) ?? languageTag(this.meta('og:locale'));
  }

  /** The base of relative links. @param page the URL of the page, which is used if the page states no valid base */
  baseOf(page: string): string {
    return resolveLink(this.base ?? '', page) ?? page;
  }

  /**
   * Reads an HTML element. Elements without a statement have no effect.
   * @param inNoscript whether the element is in a `noscript`. A refresh there is ignored, because it mostly leads to a page that asks for
   *   scripts
   */
  read(element: PageElement, inNoscript: boolean): void {
    switch (element.tagName) {
      case 'html':
        this.#setLanguage(element.attribute('lang') ?? element.attribute('xml:lang'));
        break;
      case 'body':
        this.#isInBody = true;
        break;
      case 'base':
        this.base ??= element.attribute('href');
        break;
      case 'link':
        this.#readLink(element);
        break;
      case 'script':
        if (isJsonLd(element.attribute('type'))) this.#jsonLdTexts.push(element.textInside());
        else this.runsScripts ||= /^$|^module$|javascript/i.test((element.attribute('type') ?? '').trim());
        break;
      case 'meta':
        this.#readMeta(element, inNoscript);
    }
  }

  #readMeta(element: PageElement, inNoscript: boolean): void {
    const content = element.attribute('content');
    this.#setEncoding(element.attribute('charset'));
    if (content === undefined) return;
    const pragma = element.attribute('http-equiv')?.toLowerCase();
    if (pragma === 'content-type') this.#setEncoding(labelInPragma(content));
    if (pragma !== undefined && !inNoscript) this.refresh ??= refreshOf(element);
    if (pragma === 'content-language') this.#setLanguage(content);
    const property = element.attribute('property')?.trim().toLowerCase();
    const name = element.attribute('name')?.trim().toLowerCase();
    this.#robots?.addMeta(name ?? property ?? '', content);
    const text = oneLine(content, MAX_META_VALUE);
    if (text === '') return;
    this.#addMeta('property', property, text);
    if (name !== property) this.#addMeta('name', name, text);
    this.#addMeta('itemprop', element.attribute('itemprop')?.trim().toLowerCase(), text);
    this.#addMeta('http-equiv', pragma?.trim(), text);
  }

  #addMeta(by: Meta['by'], name: string | undefined, content: string): void {
    if (!name || name.length > MAX_METADATA_NAME || this.metas.length >= MAX_METAS) return;
    this.metas.push({ by, name, content });
  }

  #readLink(element: PageElement): void {
    const relations = tokens(element.attribute('rel'));
    if (this.links.length >= MAX_HEAD_LINKS || !relations.some((relation) => STATING.includes(relation))) return;
    const link = linkOfElement(element, this.#isInBody ? 'body' : 'head', relations);
    if (link) this.links.push(link);
  }

  #setEncoding(label: string | undefined): void {
    if (this.encodingLabel !== undefined || label === undefined) return;
    if (metaEncoding(label)) this.encodingLabel = label;
  }

  #setLanguage(tag: string | undefined): void {
    this.#language ??= languageTag(tag);
  }
}

function addMetadata(metadata: Map<string, string>, name: string, content: string): void {
  if (!/^[a-z][\w.:-]*$/.test(name) || metadata.has(name) || metadata.size >= MAX_METADATA) return;
  metadata.set(name, content);
}

function oneLine(content: string, max: number): string {
  const text = new TextBuilder(max);
  text.add(content);
  return text.toString();
}
