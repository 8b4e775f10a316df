import { html, type Html } from '../http/html.js';
import { meaningOf, type Problem } from '../http/errors.js';
import type { CachedText, CrawlStatus } from '../source.js';
import { figures } from '../../util/index.js';
import { layout } from './layout.js';
import { operatorHelp, searchBox } from './search-box.js';
import { dayOf, languageOf, outLink, shownUrl } from './untrusted.js';

const { number, quantity } = figures;

/** Where a search begins. */
export function homePage(status: Pick<CrawlStatus, 'index' | 'indexProblem'> | undefined): Html {
  return layout({
    title: 'Search',
    at: 'search',
    main: html`<div class="home">
      <h1>Search the crawled pages</h1>
      ${searchBox('', { isFocused: true })}
      <p class="facts">${indexFacts(status)}</p>
      ${operatorHelp()}
    </div>`,
  });
}

/** Nothing where it is not known, as where the process that has the table open does not answer. */
function indexFacts(status: Pick<CrawlStatus, 'index' | 'indexProblem'> | undefined): Html | undefined {
  if (!status) return undefined;
  const { index, indexProblem } = status;
  if (indexProblem) {
    const { code, hint } = indexProblem;
    return html`Nothing can be searched for now: ${meaningOf(code)}. ${hint !== undefined && `${sentence(hint)}.`}`;
  }
  if (!index)
    return html`There is no index to search yet: <code>webcrawl index</code> makes it, unless its writer is jsonl.`;
  const day = index.changedAt > 0 && html`, as of ${dayOf(index.changedAt)}`;
  return html`${quantity(index.documents, 'page')} in the index${day}.`;
}

/** Characters of a text that are shown. */
const MAX_TEXT = 500_000;

/** The text of a page as it was crawled. */
export function cachedPage({ url, title = '', text, language, fetchedAt }: CachedText): Html {
  const name = title.trim() === '' ? shownUrl(url) : html`<bdi ${languageOf(language)}>${title}</bdi>`;
  return layout({
    title: title.trim() === '' ? url : title,
    main: html`<div class="plain">
      <h1>${name}</h1>
      <p class="where">${outLink(url, shownUrl(url))}</p>
      <p class="note">
        This is the text of the page as it was crawled${fetchedAt ? html` on ${dayOf(fetchedAt)}` : ''}, not the page
        itself, which may have changed.
      </p>
      ${
        text.trim() === ''
          ? html`<p>The page has no text.</p>`
          : html`<div class="cached" ${languageOf(language)}>${text.slice(0, MAX_TEXT)}</div>`
      }
      ${text.length > MAX_TEXT && html`<p class="note">The rest is left out: it has ${number(text.length)} characters.</p>`}
    </div>`,
  });
}

const HEADINGS: Readonly<Record<number, string>> = {
  400: 'This cannot be searched for',
  404: 'Not found',
  405: 'Not that way',
  414: 'Too much at once',
  421: 'Not this server',
  503: 'Not ready',
};

/** What went wrong, and what to do. */
export function problemPage({ status, code, message, hint }: Problem, query = ''): Html {
  return layout({
    title: HEADINGS[status] ?? 'Something went wrong',
    main: html`${searchBox(query)}
      <div class="plain">
        <h1>${HEADINGS[status] ?? 'Something went wrong'}</h1>
        <p>${sentence(message)}${!message.endsWith('.') && '.'}</p>
        ${hint !== undefined && html`<p>${sentence(hint)}${!hint.endsWith('.') && '.'}</p>`}
        ${status >= 500 && html`<p><code>${code}</code></p>`}
      </div>
      ${status === 400 && operatorHelp(true)}`,
  });
}

/** With a capital letter, but for a command to type. */
function sentence(text: string): string {
  return /^(webcrawl|npm) /.test(text) ? text : text.replace(/^\w/, (first) => first.toUpperCase());
}
