import { html, type Html } from '../http/html.js';
import type { Problem } from '../http/errors.js';
import type { CachedText, IndexUse } from '../source.js';
import { figures } from '../../util/index.js';
import { layout } from './layout.js';
import { operatorHelp, searchBox } from './search-box.js';
import { dayOf, languageOf, outLink, shownUrl } from './untrusted.js';

const { number, quantity } = figures;

/** Where a search begins. */
export function homePage(index: IndexUse | undefined): Html {
  return layout({
    title: 'Search',
    at: 'search',
    main: html`<div class="home">
      <h1>Search the crawled pages</h1>
      ${searchBox('', { isFocused: true })}
      <p class="facts">
        ${index ? html`${quantity(index.documents, 'page')} in the index${index.changedAt ? html`, as of ${dayOf(index.changedAt)}` : ''}.` : 'There is no index yet: webcrawl index makes it.'}
      </p>
      ${operatorHelp()}
    </div>`,
  });
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
        <p>${message.replace(/^\w/, (first) => first.toUpperCase())}${!message.endsWith('.') && '.'}</p>
        ${hint !== undefined && html`<p>${hint.replace(/^\w/, (first) => first.toUpperCase())}.</p>`}
        ${status >= 500 && html`<p><code>${code}</code></p>`}
      </div>
      ${status === 400 && operatorHelp(true)}`,
  });
}
