import { html, pageScript, type Html } from '../http/html.js';
import { MAX_QUERY_CHARACTERS } from '../http/server.js';
import type { Site } from '../site/site.js';

/** The search form. It works without scripts. */
export function searchBox({ texts }: Site, query: string, { isFocused = false } = {}): Html {
  return html`<form class="search" role="search" action="/search" method="get">
    <label class="hidden" for="q">${texts.searchPages}</label>
    <input
      id="q"
      name="q"
      type="search"
      value="${query}"
      maxlength="${MAX_QUERY_CHARACTERS}"
      dir="auto"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      enterkeyhint="search"
      ${isFocused && html` autofocus`}
    />
    <datalist id="suggestions"></datalist>
    <button type="submit">${texts.search}</button>
  </form>`;
}

/** The script of pages with a search box. Suggests completions while the user types. Without scripts, only the suggestions are missing. */
export const SEARCH_SCRIPT = pageScript(`
'use strict';
const input = document.getElementById('q');
const list = document.getElementById('suggestions');
input.setAttribute('list', list.id);
let timer;
let asked = new AbortController();
const offer = async () => {
  asked.abort();
  asked = new AbortController();
  try {
    const response = await fetch('/api/suggest?q=' + encodeURIComponent(input.value), { signal: asked.signal });
    const [, found] = await response.json();
    list.replaceChildren(...found.map((text) => Object.assign(document.createElement('option'), { value: text })));
  } catch {
    // The request was aborted by the next typed letter, or the server does not respond.
  }
};
input.addEventListener('input', ({ inputType }) => {
  clearTimeout(timer);
  // An entry of the list was chosen.
  if (inputType === undefined || inputType === 'insertReplacementText') return;
  timer = setTimeout(offer, 120);
});
`);

const EXAMPLES = [
  'green tea',
  '"green tea"',
  'tea -milk',
  'site:example.com',
  'intitle:tea',
  'inurl:docs',
  'lang:ja',
  'after:2026-01-01',
] as const;

export function operatorHelp({ texts }: Site, isOpen = false): Html {
  return html`<details${isOpen && html` open`}><summary>${texts.howToSearch}</summary>
<dl class="help">
${EXAMPLES.map(
  (example, i) =>
    html`<dt>${example}</dt>
      <dd>${texts.operators[i]}</dd>`,
)}
</dl></details>`;
}
