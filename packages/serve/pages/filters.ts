import { MAX_HITS, parseQuery, queryText, type SearchResult } from '../../search/index.js';
import { html, type Html } from '../http/html.js';
import type { Site } from '../site/site.js';
import { readableUrl } from '../../core/index.js';
import { languageName } from './untrusted.js';

/** The filters of a search. An empty text means no filter. */
interface Filters {
  readonly site: string;
  readonly language: string;
  readonly year: string;
}

const SELECTABLE_YEARS = 10;

function filtersOf(query: string): Filters {
  const { operators } = parseQuery(query);
  const value = (wanted: string): string =>
    operators.find(({ name, isExcluded }) => name === wanted && !isExcluded)?.value ?? '';
  const from = value('after');
  const isYear = /^\d{4}$/.test(from) && value('before') === String(Number(from) + 1);
  return { site: value('site'), language: value('lang').toLowerCase(), year: isYear ? from : '' };
}

/** Replaces the filters of a query. A wrong language or year is ignored. */
export function withFilters(query: string, { site, language, year }: Filters): string {
  const { parts, operators } = parseQuery(query);
  const kept = operators.filter(({ isExcluded }) => isExcluded);
  const isYear = /^\d{4}$/.test(year);
  const narrowing = [
    ['site', site.trim().replace(/\s+/g, '').slice(0, 255)],
    ['lang', /^[a-z]{2,3}$/i.test(language) ? language : ''],
    ['after', isYear ? year : ''],
    ['before', isYear ? String(Number(year) + 1) : ''],
  ] as const;
  const added = narrowing.flatMap(([name, value]) => (value === '' ? [] : [{ name, value, isExcluded: false }]));
  return queryText({ parts, operators: [...kept, ...added] });
}

/**
 * The form that filters a search. It works without scripts.
 * @param found the sites to choose from. If not all hits were counted, their numbers are lower limits
 * @param languages the languages of the index, those with most pages first
 * @param thisYear the latest year in the list
 */
export function filterForm(
  { texts }: Site,
  query: string,
  { sites = [], total }: Pick<SearchResult, 'sites' | 'total'>,
  languages: readonly string[],
  thisYear: number,
): Html {
  const chosen = filtersOf(query);
  const isNarrowed = Object.values(chosen).some((value) => value !== '');
  const years = Array.from({ length: SELECTABLE_YEARS }, (_, i) => String(thisYear - i));
  const option = (value: string, text: string, now: string): Html =>
    html`<option value="${value}" ${value === now && html` selected`}>${text}</option>`;
  const select = (name: keyof Filters, label: string, values: readonly (readonly [string, string])[]): Html => {
    const now = chosen[name];
    const isThere = now === '' || values.some(([value]) => value === now);
    return html`<p>
      <label for="f-${name}">${label}</label>
      <select id="f-${name}" name="${name}">
        ${option('', texts.any, now)}
        ${[...values, ...(isThere ? [] : [[now, now] as const])].map(([value, text]) => option(value, text, now))}
      </select>
    </p>`;
  };
  const hasFolders = [chosen.site, ...sites.map(({ site }) => site)].some((site) => site.includes('/'));
  return html`<details class="narrow" ${isNarrowed && html` open`}>
    <summary>${texts.filter}</summary>
    <form class="filter" method="get" action="/search">
      <input type="hidden" name="q" value="${query}" />
      ${
        (sites.length > 0 || chosen.site !== '') &&
        select(
          'site',
          hasFolders ? texts.section : texts.site,
          sites.map(
            ({ site, hits }) => [site, `${readableSite(site)} (${hits}${total > MAX_HITS ? '+' : ''})`] as const,
          ),
        )
      }
      ${
        languages.length > 1 &&
        select(
          'language',
          texts.language,
          languages.map((name) => [name, languageName(name, texts.locale) ?? name] as const),
        )
      }
      ${select(
        'year',
        texts.year,
        years.map((year) => [year, year] as const),
      )}
      <button type="submit">${texts.apply}</button>
    </form>
  </details>`;
}

/** Shows a host, or a folder of it, in the letters of its language. */
function readableSite(site: string): string {
  return (readableUrl(`http://${site}`) ?? site).replace(/^http:\/\//, '');
}
