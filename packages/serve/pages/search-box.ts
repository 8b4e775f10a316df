import { html, type Html } from '../http/html.js';
import { MAX_TYPED } from '../http/server.js';

/** The form that searches: it works without scripts. */
export function searchBox(query: string, { isFocused = false } = {}): Html {
  return html`<form class="search" role="search" action="/search" method="get">
    <label class="hidden" for="q">Search the crawled pages</label>
    <input
      id="q"
      name="q"
      type="search"
      value="${query}"
      maxlength="${MAX_TYPED}"
      dir="auto"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      enterkeyhint="search"
      ${isFocused && html` autofocus`}
    />
    <button type="submit">Search</button>
  </form>`;
}

const OPERATORS = [
  ['green tea', 'both words, in any order'],
  ['"green tea"', 'these words one after the other'],
  ['tea -milk', 'tea without milk'],
  ['site:example.com', 'pages of this host, and of hosts below it'],
  ['intitle:tea', 'the word is in the title'],
  ['inurl:docs', 'the word is in the address'],
  ['lang:ja', 'pages in this language'],
  ['after:2026-01-01', 'changed on this day or later; before: the other way round'],
] as const;

/** What a query may hold besides words. */
export function operatorHelp(isOpen = false): Html {
  return html`<details${isOpen && html` open`}><summary>How to search</summary>
<dl class="help">
${OPERATORS.map(
  ([example, meaning]) =>
    html`<dt>${example}</dt>
      <dd>${meaning}</dd>`,
)}
</dl></details>`;
}
