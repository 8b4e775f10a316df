import { html, type Html } from '../http/html.js';
import { meaningOf, type Problem } from '../http/errors.js';
import type { CachedText, CrawlStatus } from '../source.js';
import type { Look } from '../site/site.js';
import { shownBlocks } from './blocks.js';
import type { Layout } from './layout.js';
import { SEARCH_SCRIPT, operatorHelp, searchBox } from './search-box.js';
import { dayOf, languageOf, outLink, shownUrl } from './untrusted.js';
import type { Block } from '../../export/index.js';

export function homePage(look: Look, status: Pick<CrawlStatus, 'index' | 'indexProblem'> | undefined): Layout {
  const { site } = look;
  const { name, isNamed, texts } = site;
  return {
    title: isNamed ? name : texts.search,
    at: 'search',
    script: SEARCH_SCRIPT,
    main: html`<div class="home">
      <h1>${isNamed ? name : texts.searchPages}</h1>
      ${searchBox(site, '', { isFocused: true })}
      <p class="facts">${indexFacts(look, status)}</p>
      ${operatorHelp(site)}
    </div>`,
  };
}

/** Returns facts about the index. Undefined: nothing is known, for example because the process that has the table open does not respond. */
function indexFacts(
  { site: { texts }, isOperator }: Look,
  status: Pick<CrawlStatus, 'index' | 'indexProblem'> | undefined,
): Html | string | undefined {
  if (!status) return undefined;
  const { index, indexProblem } = status;
  if (index && !indexProblem) {
    const { documents, changedAt } = index;
    const day = changedAt > 0 ? dayOf(changedAt, texts.locale) : undefined;
    return texts.inIndex(texts.pages(documents, documents.toLocaleString(texts.locale)), day);
  }
  if (!isOperator) return texts.notReady;
  if (!indexProblem) return html`There is no search index yet: <code>webcrawl index</code> makes it.`;
  const { code, hint } = indexProblem;
  return html`Search is not possible now: ${meaningOf(code)}. ${hint !== undefined && `${sentence(hint)}.`}`;
}

const MAX_TEXT = 300_000;

export function cachedPage({ site }: Look, { url, title = '', text, blocks, language, fetchedAt }: CachedText): Layout {
  const { texts } = site;
  const name = title.trim() === '' ? shownUrl(url) : html`<bdi ${languageOf(language)}>${title}</bdi>`;
  const main = blocks ?? paragraphsOf(text);
  const { shown, isCut } = shownBlocks(main, MAX_TEXT);
  return {
    title: title.trim() === '' ? url : title,
    main: html`<div class="plain">
      <h1>${name}</h1>
      <p class="where">${outLink(url, shownUrl(url))}</p>
      <p class="note">${texts.copyNote(fetchedAt ? dayOf(fetchedAt, texts.locale) : undefined)}</p>
      ${
        main.length === 0
          ? html`<p>${texts.noText}</p>`
          : html`<div class="cached" ${languageOf(language)}>${shown}</div>`
      }
      ${isCut && html`<p class="note">${texts.restLeftOut(text.length.toLocaleString(texts.locale))}</p>`}
    </div>`,
  };
}

export function problemPage({ site, isOperator }: Look, problem: Problem, query = ''): Layout {
  const { texts } = site;
  const { status, code } = problem;
  const [heading, told] = texts.problems[status] ?? texts.problems['other']!;
  // Errors in a request are explained to the client. Errors of this server are explained only to the operator.
  const { message, hint }: Pick<Problem, 'message' | 'hint'> =
    isOperator || (status < 500 && site.language === 'en')
      ? problem
      : { message: code === 'NO_COPY' ? texts.noCopy : told };
  return {
    title: heading,
    script: SEARCH_SCRIPT,
    main: html`${searchBox(site, query)}
      <div class="plain">
        <h1>${heading}</h1>
        <p>${sentence(message)}${!/[.。]$/.test(message) && '.'}</p>
        ${hint !== undefined && html`<p>${sentence(hint)}${!hint.endsWith('.') && '.'}</p>`}
        ${status >= 500 && html`<p><code>${code}</code></p>`}
      </div>
      ${status === 400 && operatorHelp(site, true)}`,
  };
}

/** Begins a text with a capital letter, unless it is a command to type. */
function sentence(text: string): string {
  return /^(webcrawl|npm) /.test(text) ? text : text.replace(/^\w/, (first) => first.toUpperCase());
}

/** Matches a paragraph: at least 400 characters up to the end of a sentence; else at most 1,200, if possible up to a blank. */
const PARAGRAPH = /.{400,1200}?(?:[.!?]\s|[。！？])|.{1,1200}(?=\s|$)|.{1,1200}/gsu;

/**
 * Splits a text into paragraphs for reading: at its line breaks, and between sentences of a long line. This is needed because the stored
 * text does not have the paragraphs of the page.
 */
export function paragraphsOf(text: string): readonly Block[] {
  const parts = text.split(/\s*\n\s*/).flatMap((line) => line.match(PARAGRAPH) ?? []);
  const lines = parts.map((part) => part.trim()).filter((part) => part !== '');
  return lines.map((value) => ({ type: 'paragraph', children: [{ type: 'text', value }] }));
}
