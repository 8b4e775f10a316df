import { defaultTreeAdapter, html as spec, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { first, isHtml, ownText } from '../elements.js';
import { headOf } from '../head/head-of.js';
import { MAX_TITLE_LENGTH } from '../../shared/limits.js';
import type { Block } from './block-text.js';
import { isHeading } from './outline.js';
import type { Page } from './page.js';

/** What separates the name of a page from the name of its site in a `title`. */
const SEPARATOR = /\s+(?:[|·•»«–—-]|::?)\s+/g;

/** A block that is no heading may name the page if fewer blocks than this are before it in the content. */
const MAX_START = 5;

export function titleIn(document: Tree.Document): string {
  const title = first(document, (element) => element.tagName === 'title' && isHtml(element));
  const text = title ? ownText(title) : '';
  return text.slice(0, MAX_TITLE_LENGTH).replace(/\s+/g, ' ').trim();
}

export function isInTitle({ start }: Block, title: string): boolean {
  const text = start.trim().toLowerCase().slice(0, 50);
  return text.length > 2 && title.includes(text);
}

/**
 * Returns a heading with the name of a page whose content does not begin with it: with the text of the heading that is the title of the
 * page, else with its `title` without the name of the site. Undefined: a kept block names the page, or the page has no name.
 */
export function missingHeading(
  document: Tree.Document,
  page: Page,
  kept: readonly boolean[],
): Tree.Element | undefined {
  const { blocks, isTitled } = page;
  const heading = blocks[page.title];
  if (heading && kept[heading.index] && (isTitled || heading.part.tagName === 'h1')) return undefined;
  const title = titleIn(document);
  const lower = title.toLowerCase();
  const content = blocks.filter(({ index }) => kept[index]);
  const isNamed = content.some((block, i) => (i < MAX_START || isHeading(block)) && isInTitle(block, lower));
  if (isNamed || title === '') return undefined;
  const element = defaultTreeAdapter.createElement('h1', spec.NS.HTML, []);
  const name = isTitled ? heading!.nodes.map(({ value }) => value).join('') : nameIn(document, title);
  defaultTreeAdapter.insertText(element, name);
  return element;
}

function nameIn(document: Tree.Document, title: string): string {
  const separators = [...title.matchAll(SEPARATOR)];
  if (separators.length === 0) return title;
  const [start, end] = [separators[0]!, separators.at(-1)!];
  const site = headOf(document).meta('og:site_name')?.toLowerCase() ?? '';
  // Most sites write their name last.
  const isFirst = site !== '' && title.slice(0, start.index).toLowerCase() === site;
  return isFirst ? title.slice(start.index + start[0].length) : title.slice(0, end.index);
}
