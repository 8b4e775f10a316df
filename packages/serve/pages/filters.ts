import { parseQuery, queryText } from '../../search/index.js';
import { html, type Html } from '../http/html.js';
import type { Site } from '../site/site.js';
import { languageName } from './untrusted.js';

/** The filters of a search. An empty text means no filter. */
interface Filters {
  readonly site: string;
  readonly language: string;
  readonly year: string;
}

const SELECTABLE_YEARS = 10;

/** Returns the filters of a query that the form can show. */
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
 * @param languages the languages of the index, those with most pages first
 * @param thisYear the latest year in the list
 */
export function filterForm({ texts }: Site, query: string, languages: readonly string[], thisYear: number): Html {
  const chosen = filtersOf(query);
  const isNarrowed = Object.values(chosen).some((value) => value !== '');
  const years = Array.from({ length: SELECTABLE_YEARS }, (_, i) => String(thisYear - i));
  const option = (value: string, text: string, now: string): Html =>
    html`<option value="${value}" ${value === now && html` selected`}>${text}</option>`;
  const select = (name: 'language' | 'year', label: string, values: readonly (readonly [string, string])[]): Html => {
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
  return html`<details class="narrow" ${isNarrowed && html` open`}>
    <summary>${texts.filter}</summary>
    <form class="filter" method="get" action="/search">
      <input type="hidden" name="q" value="${query}" />
      <p>
        <label for="f-site">${texts.site}</label>
        <input
          id="f-site"
          name="site"
          value="${chosen.site}"
          maxlength="255"
          placeholder="example.com"
          autocapitalize="none"
          autocomplete="off"
          spellcheck="false"
        />
      </p>
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
