import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { Settings } from '../../../config/index.js';
import type { HtmlDocument } from '../../plugin-api/index.js';
import { first } from './elements.js';
import { foldFormulas } from './formulas.js';
import { headOf } from './head/head-of.js';
import { htmlDocument, type DocumentInput } from './html-document.js';
import { emptyByNames, isMarkedManual, looksLikeManual } from './main/by-names.js';
import { cutBody } from './main/cut.js';
import { keptBlocks } from './main/keep.js';
import { missingHeading } from './main/page-name.js';
import { readPage, type Page } from './main/page.js';
import { judgeBySite, type PageKind } from './main/site/kept-by-site.js';
import { traitsOf, type PageTraits } from './main/site/page-traits.js';
import type { SiteTemplate } from './main/site/site-template.js';
import { judge } from './main/verdict.js';

type MainContentInput = {
  /** The base of relative links. */
  readonly url: string;
} & (DocumentInput | { /** The tree of the page. It is changed. */ readonly document: HtmlDocument });

/**
 * Returns the main content of a page: the body without the blocks of text that are not main content. If no heading of the content names
 * the page, an `h1` with the name of the page comes first. Elements are nested at most some hundred deep. URLs of links and images are
 * absolute. Undefined: the page has another media type or has no text, or parsing took longer than `parser.timeout`.
 * @param template of the site of the page. Absent: the page is read by itself
 */
export function mainContent(
  input: MainContentInput,
  settings: Pick<Settings, 'parser'>,
  template?: SiteTemplate,
): Tree.Element | undefined {
  const read = readInput(input, settings);
  if (!read) return undefined;
  const { document, body, page } = read;
  const { kept } = decide(document, page, settings, template);
  cutBody(body, page.blocks, kept, emptyByNames(page, kept), headOf(document).baseOf(input.url));
  const heading = missingHeading(document, page, kept);
  if (heading) body.childNodes.unshift(heading);
  return body;
}

/**
 * Returns how {@link mainContent} reads a page, and whether it reads the page as part of a manual. Undefined: the page has no main content.
 * The tree of the input is changed.
 */
export function contentKind(
  input: MainContentInput,
  settings: Pick<Settings, 'parser'>,
  template?: SiteTemplate,
): { readonly kind: PageKind; readonly isManual: boolean } | undefined {
  const read = readInput(input, settings);
  if (!read) return undefined;
  const { kind, isManual } = decide(read.document, read.page, settings, template);
  return { kind, isManual };
}

/** Returns what a page shows about the template of its site. Undefined: the page has no main content. The tree of the input is changed. */
export function pageTraits(input: MainContentInput, settings: Pick<Settings, 'parser'>): PageTraits | undefined {
  const read = readInput(input, settings);
  if (!read) return undefined;
  const { document, page } = read;
  return traitsOf(page, judge(page), isMarkedManual(document) || looksLikeManual(page));
}

function readInput(input: MainContentInput, settings: Pick<Settings, 'parser'>) {
  const document = 'document' in input ? input.document : htmlDocument(input, settings);
  const body = document && first(document, ({ tagName }) => tagName === 'body');
  if (!body) return undefined;
  foldFormulas(body);
  const page = readPage(document, body);
  return page.blocks.length === 0 ? undefined : { document, body, page };
}

function decide(
  document: HtmlDocument,
  page: Page,
  { parser }: Pick<Settings, 'parser'>,
  template: SiteTemplate | undefined,
): { readonly kept: readonly boolean[]; readonly kind: PageKind; readonly isManual: boolean } {
  const isMarked = isMarkedManual(document);
  const isManualAlone = isMarked || looksLikeManual(page);
  const site = template && judgeBySite(page, template, isMarked, isManualAlone);
  const kind = site?.kind ?? (isMarked ? 'marked' : 'alone');
  const isManual = kind === 'manual' || (kind !== 'articles' && isManualAlone);
  // For a manual, chances are not needed: only the names of elements decide which blocks are kept.
  const chances = isManual ? new Float64Array(page.blocks.length) : (site?.chances ?? judge(page));
  const constant = site?.constant;
  // Constant blocks must not count for the lists and headings around them either.
  if (!isManual) constant?.forEach((is, i) => is && (chances[i] = 0));
  const kept = keptBlocks(page, chances, { captions: parser.keepCaptions, isManual });
  const rest = constant ? kept.map((keep, i) => keep && !constant[i]) : kept;
  return { kept: rest.includes(true) ? rest : kept, kind, isManual };
}
