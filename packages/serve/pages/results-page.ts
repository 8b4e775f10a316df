import { html, type Html } from '../http/html.js';
import { HITS_A_PAGE, MAX_HITS, type SearchHit, type SearchResult } from '../../search/index.js';
import { tryParseUrl } from '../../url/index.js';
import { figures } from '../../util/index.js';
import { layout } from './layout.js';
import { operatorHelp, searchBox } from './search-box.js';
import { dayOf, languageName, languageOf, outLink, shownUrl } from './untrusted.js';

const { number, quantity } = figures;

/** What was asked for. */
export interface Asked {
  readonly query: string;
  /** From 1 on. */
  readonly page: number;
  readonly fold: boolean;
}

/** The address of a search. */
export function searchPath({ query, page = 1, fold = true }: Partial<Asked> & { readonly query: string }): string {
  const params = new URLSearchParams({
    q: query,
    ...(page > 1 && { page: String(page) }),
    ...(!fold && { fold: 'no' }),
  });
  return `/search?${params.toString()}`;
}

/** The pages that were found, or what to try where there are none. */
export function resultsPage(asked: Asked, found: SearchResult): Html {
  const { query, page } = asked;
  const { hits, didYouMean, notices } = found;
  const title = page > 1 ? `${query}, page ${page}` : query;
  return layout({
    title,
    at: 'search',
    main: html`${searchBox(query)} ${notices.map(({ message }) => html`<p class="note">${message}</p>`)}
    ${
      didYouMean !== undefined &&
      html`<p class="note">
        Did you mean <a href="${searchPath({ query: didYouMean })}"><bdi>${didYouMean}</bdi></a
        >?
      </p>`
    }
    ${hits.length > 0 ? someHits(asked, found) : noHits(asked, found)}`,
  });
}

function someHits(asked: Asked, found: SearchResult): Html {
  const { total, hits } = found;
  const { query, page, fold } = asked;
  const first = (page - 1) * HITS_A_PAGE + 1;
  return html`<h1 class="count">
      <strong>${quantity(total, 'page')}</strong> for <bdi>${query}</bdi>${page > 1 && `, from ${number(first)} on`}
    </h1>
    ${found.isApproximate && html`<p class="note">Very many pages match: only the likeliest were compared, so a good one may be missing. More words find it.</p>`}
    ${!fold && html`<p class="note">Pages that are alike and all pages of a host are shown. <a href="${searchPath({ query })}">Fold them</a></p>`}
    <ol class="results" start="${first}">
      ${hits.map((hit) => html`<li>${result(asked, hit)}</li>`)}
    </ol>
    ${pager(asked, found.pages)} ${operatorHelp()}`;
}

function result(
  { query, fold }: Asked,
  { url, title, snippet, language, fetchedAt, modifiedTime, ...folded }: SearchHit,
): Html {
  const { alike = 0, moreFromHost = 0, hostQuery } = folded;
  const address = shownUrl(url);
  const name = title.trim() === '' || title === url ? address : html`<bdi ${languageOf(language)}>${title}</bdi>`;
  const spoken = languageName(language);
  const changed = modifiedTime || fetchedAt;
  const host = hostOf(url);
  return html`<article>
    <h2>${outLink(url, name)}</h2>
    ${name !== address && html`<p class="where">${address}</p>`}
    ${snippet.length > 0 && html`<p class="snippet" ${languageOf(language)}>${snippet.map(({ text, hit }) => (hit ? html`<mark>${text}</mark>` : text))}</p>`}
    <ul class="meta">
      ${changed > 0 && html`<li>${dayOf(changed)}</li>`} ${spoken !== undefined && html`<li>${spoken}</li>`}
      <li>
        <a href="/cached?${new URLSearchParams({ url }).toString()}"
          >Text as crawled<span class="hidden"> of <bdi>${title}</bdi></span></a
        >
      </li>
      ${fold && alike > 0 && html`<li><a href="${searchPath({ query, fold: false })}">${quantity(alike, 'page')} like this</a></li>`}
      ${hostQuery !== undefined && host !== undefined && html`<li><a href="${searchPath({ query: hostQuery })}">${number(moreFromHost)} more of ${host}</a></li>`}
    </ul>
  </article>`;
}

function hostOf(url: string): string | undefined {
  return tryParseUrl(url)?.hostname;
}

function pager(asked: Asked, last: number): Html | false {
  if (last <= 1) return false;
  const { page } = asked;
  const link = (to: number, text: string, rel?: string): Html =>
    html`<a href="${searchPath({ ...asked, page: to })}" ${rel !== undefined && html` rel="${rel}"`}>${text}</a>`;
  const numbers = Array.from({ length: last }, (_, i) => i + 1).map((n) =>
    n === page
      ? html`<li>
          <span aria-current="page"><span class="hidden">Page </span>${n}</span>
        </li>`
      : html`<li>
          <a href="${searchPath({ ...asked, page: n })}"><span class="hidden">Page </span>${n}</a>
        </li>`,
  );
  return html`<nav class="pages" aria-label="Pages of results">
    <ul>
      ${page > 1 && html`<li>${link(page - 1, 'Previous', 'prev')}</li>`} ${numbers}
      ${page < last && html`<li>${link(page + 1, 'Next', 'next')}</li>`}
    </ul>
  </nav>`;
}

function noHits({ query, page }: Asked, { total }: SearchResult): Html {
  if (page > 1 && total > 0) {
    return html`<div class="plain">
      <h1>No more pages</h1>
      <p>
        A search shows the best ${number(MAX_HITS)} pages.
        <a href="${searchPath({ query })}">Back to the first</a>
      </p>
    </div>`;
  }
  return html`<div class="plain">
      <h1>Nothing found for <bdi>${query}</bdi></h1>
      <ul>
        <li>Look at the spelling, or try other words.</li>
        <li>Leave out words, quotation marks or operators.</li>
        <li>What was crawled since the last <code>webcrawl index</code> is not found yet.</li>
      </ul>
    </div>
    ${operatorHelp(true)}`;
}
