import { html, type Html } from '../http/html.js';
import { HITS_PER_PAGE, MAX_HITS, type SearchHit, type SearchNotice, type SearchResult } from '../../search/index.js';
import { tryParseUrl } from '../../core/index.js';
import type { Look, Site } from '../site/site.js';
import { filterForm } from './filters.js';
import type { Layout } from './layout.js';
import { SEARCH_SCRIPT, operatorHelp, searchBox } from './search-box.js';
import { dayOf, languageName, languageOf, outLink, shownUrl } from './untrusted.js';

export interface Asked {
  readonly query: string;
  /** The page of results, from 1 on. */
  readonly page: number;
  readonly fold: boolean;
  /** The language of the reader, if the address of the page names one. */
  readonly lang?: string;
}

interface SearchPage {
  /** Languages of the index, those with most pages first. */
  readonly languages: readonly string[];
  readonly thisYear: number;
}

export function searchPath({
  query,
  page = 1,
  fold = true,
  lang,
}: Partial<Asked> & { readonly query: string }): string {
  const params = new URLSearchParams({
    q: query,
    ...(page > 1 && { page: String(page) }),
    ...(!fold && { fold: 'no' }),
    ...(lang !== undefined && { lang }),
  });
  return `/search?${params.toString()}`;
}

/** The page with the hits. Without hits, it has advice on how to find more. */
export function resultsPage(
  look: Look,
  asked: Asked,
  found: SearchResult,
  { languages, thisYear }: SearchPage,
): Layout {
  const { site } = look;
  const { texts } = site;
  const { query, page } = asked;
  const { hits, didYouMean, notices } = found;
  return {
    title: page > 1 ? texts.pageTitle(query, page) : query,
    at: 'search',
    script: SEARCH_SCRIPT,
    main: html`${searchBox(site, query)} ${filterForm(site, query, found, languages, thisYear)}
    ${notices.map((notice) => html`<p class="note">${noticeText(look, notice)}</p>`)}
    ${didYouMean !== undefined && html`<p class="note">${texts.didYouMean(html`<a href="${searchPath({ ...asked, page: 1, query: didYouMean })}"><bdi>${didYouMean}</bdi></a>`)}</p>`}
    ${hits.length > 0 ? someHits(site, asked, found) : noHits(site, asked, found)}`,
  };
}

/** Returns the text of a notice. Operators see the full message, with what they can do. Other readers see only its meaning. */
function noticeText({ site, isOperator }: Look, { code, message, text = '', count = 0 }: SearchNotice): string {
  return (!isOperator && site.texts.notices[code]?.(text, count)) || message;
}

function numberOf({ texts }: Site, count: number): string {
  return count.toLocaleString(texts.locale);
}

function pagesOf(site: Site, count: number): string {
  return site.texts.pages(count, numberOf(site, count));
}

function someHits(site: Site, asked: Asked, found: SearchResult): Html {
  const { texts } = site;
  const { total, hits } = found;
  const { query, page, fold } = asked;
  const first = (page - 1) * HITS_PER_PAGE + 1;
  return html`<h1 class="count">
      ${texts.found(pagesOf(site, total), html`<bdi>${query}</bdi>`)}${page > 1 && texts.foundFrom(numberOf(site, first))}
    </h1>
    ${found.isApproximate && html`<p class="note">${texts.approximate}</p>`}
    ${!fold && html`<p class="note">${texts.allShown} <a href="${searchPath({ ...asked, page: 1, fold: true })}">${texts.fold}</a></p>`}
    <ol class="results" start="${first}">
      ${hits.map((hit) => html`<li>${result(site, asked, hit)}</li>`)}
    </ol>
    ${pager(site, asked, found.pages)} ${operatorHelp(site)}`;
}

function result(
  site: Site,
  asked: Asked,
  { url, title, snippet, language, fetchedAt, modifiedAt, hasCopy, ...folded }: SearchHit,
): Html {
  const { texts } = site;
  const { alike = 0, moreFromHost = 0, hostQuery } = folded;
  const address = shownUrl(url);
  const name = title.trim() === '' || title === url ? address : html`<bdi ${languageOf(language)}>${title}</bdi>`;
  const spoken = languageName(language, texts.locale);
  const changed = modifiedAt || fetchedAt;
  const host = hostOf(url);
  return html`<article>
    <h2>${outLink(url, name)}</h2>
    ${name !== address && html`<p class="where">${address}</p>`}
    ${snippet.length > 0 && html`<p class="snippet" ${languageOf(language)}>${snippet.map(({ text, hit }) => (hit ? html`<mark>${text}</mark>` : text))}</p>`}
    <ul class="meta">
      ${changed > 0 && html`<li>${dayOf(changed, texts.locale)}</li>`}
      ${spoken !== undefined && html`<li>${spoken}</li>`}
      ${
        hasCopy &&
        html`<li>
          <a href="/cached?${new URLSearchParams({ url }).toString()}"
            >${texts.asCrawled}<span class="hidden">${texts.asCrawledOf(html`<bdi>${title}</bdi>`)}</span></a
          >
        </li>`
      }
      ${asked.fold && alike > 0 && html`<li><a href="${searchPath({ ...asked, page: 1, fold: false })}">${texts.alike(alike, numberOf(site, alike))}</a></li>`}
      ${hostQuery !== undefined && host !== undefined && html`<li><a href="${searchPath({ ...asked, page: 1, fold: true, query: hostQuery })}">${texts.moreOf(numberOf(site, moreFromHost), host)}</a></li>`}
    </ul>
  </article>`;
}

function hostOf(url: string): string | undefined {
  return tryParseUrl(url)?.hostname;
}

function pager({ texts }: Site, asked: Asked, last: number): Html | false {
  if (last <= 1) return false;
  const { page } = asked;
  const link = (to: number, text: Html | string, rel?: string): Html =>
    html`<a href="${searchPath({ ...asked, page: to })}" ${rel !== undefined && html` rel="${rel}"`}>${text}</a>`;
  const numbers = Array.from({ length: last }, (_, i) => {
    const text = html`<span class="hidden">${texts.page} </span>${i + 1}`;
    return html`<li>${i + 1 === page ? html`<span aria-current="page">${text}</span>` : link(i + 1, text)}</li>`;
  });
  return html`<nav class="pages" aria-label="${texts.pagesOfResults}">
    <ul>
      ${page > 1 && html`<li>${link(page - 1, texts.previous, 'prev')}</li>`} ${numbers}
      ${page < last && html`<li>${link(page + 1, texts.next, 'next')}</li>`}
    </ul>
  </nav>`;
}

function noHits(site: Site, asked: Asked, { total }: SearchResult): Html {
  const { texts } = site;
  if (asked.page > 1 && total > 0) {
    return html`<div class="plain">
      <h1>${texts.noMore}</h1>
      <p>
        ${texts.bestOnly(numberOf(site, MAX_HITS))}
        <a href="${searchPath({ ...asked, page: 1 })}">${texts.backToFirst}</a>
      </p>
    </div>`;
  }
  return html`<div class="plain">
      <h1>${texts.nothing(html`<bdi>${asked.query}</bdi>`)}</h1>
      <ul>
        ${texts.tips.map((tip) => html`<li>${tip}</li>`)}
      </ul>
    </div>
    ${operatorHelp(site, true)}`;
}
