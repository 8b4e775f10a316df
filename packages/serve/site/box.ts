import type { Texts } from '../texts/texts.js';
import type { Html } from '../http/html.js';
import { MAX_QUERY_CHARACTERS } from '../http/server.js';

/** The words of the box. In them `%q` is the query, and `%n` a number of pages. */
function wordsOf(texts: Texts): object {
  const problem = (status: string): string => texts.problems[status]!.join('. ');
  return {
    locale: texts.locale,
    label: texts.search,
    pages: [texts.pages(1, '%n'), texts.pages(2, '%n')],
    nothing: plain(texts.nothing('%q')),
    notReady: problem('503'),
    problem: problem('other'),
  };
}

const plain = (text: Html): string => text.toString().replace(/<[^>]*>/g, '');

/**
 * The script of the search box for pages of other sites: the element `webcrawl-search`. It needs nothing of its page but the permission to
 * run and to connect: its style is no inline style, and text of crawled pages is never read as HTML. The roles and keys are those of the
 * combobox in the WAI-ARIA Authoring Practices.
 */
export function boxScript(texts: Texts, accents: { readonly light: string; readonly dark: string }): string {
  return `'use strict';
(() => {
const server = new URL(document.currentScript.src).origin;
const words = ${JSON.stringify(wordsOf(texts))};
const sheet = new CSSStyleSheet();
sheet.replaceSync(${JSON.stringify(styleOf(accents))});
let count = 0;

function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function get(path, query, signal) {
  const response = await fetch(server + path + '?q=' + encodeURIComponent(query), { signal, credentials: 'omit' });
  const body = await response.json();
  if (response.ok) return body;
  throw response;
}

/** Searches what was typed. If no page has all of it, its last word may be incomplete, or a word misspelt. */
async function search(query, signal) {
  const found = await get('/api/search', query, signal);
  if (found.hits.length > 0 && !found.notices.some(({ code }) => code === 'some_words')) return found;
  const [, [completed]] = await get('/api/suggest', query, signal);
  const meant = completed ?? found.didYouMean;
  return meant === undefined ? found : get('/api/search', meant, signal);
}

function pages(total) {
  return words.pages[total === 1 ? 0 : 1].replace('%n', () => total.toLocaleString(words.locale));
}

class SearchBox extends HTMLElement {
  #input; #list; #note; #more; #panel;
  #options = [];
  #active = -1;
  #timer;
  #request = new AbortController();

  connectedCallback() {
    if (this.shadowRoot) return;
    const label = this.getAttribute('label') ?? words.label;
    const id = 'hits-' + (count += 1);
    this.#input = make('input', {
      type: 'search', name: 'q', role: 'combobox', 'aria-label': label, placeholder: label, maxlength: ${MAX_QUERY_CHARACTERS}, dir: 'auto',
      'aria-autocomplete': 'list', 'aria-controls': id, 'aria-expanded': false, autocomplete: 'off', autocapitalize: 'none',
      spellcheck: false, enterkeyhint: 'search',
    });
    this.#list = make('div', { id, role: 'listbox', 'aria-label': label });
    this.#note = make('p', { role: 'status' });
    this.#more = make('a', { part: 'more' });
    this.#panel = make('div', { class: 'panel', part: 'panel', hidden: '' }, this.#list, this.#more);
    const form = make('form', { role: 'search', action: server + '/search' }, this.#input, this.#panel, this.#note);
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(form);
    this.#input.addEventListener('input', () => this.#typed());
    this.#input.addEventListener('focus', () => this.#options.length > 0 && this.#open());
    this.#input.addEventListener('keydown', (event) => this.#key(event));
    form.addEventListener('focusout', ({ relatedTarget }) => form.contains(relatedTarget) || this.#close());
    form.addEventListener('submit', (event) => this.#input.value.trim() === '' && event.preventDefault());
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#request.abort();
    const query = this.#input.value.trim();
    if (query === '') this.#show('', []);
    else this.#timer = setTimeout(() => this.#search(query), 150);
  }

  async #search(query) {
    const { signal } = (this.#request = new AbortController());
    try {
      const { hits, total } = await search(query, signal);
      if (signal.aborted) return;
      this.#more.href = server + '/search?q=' + encodeURIComponent(query);
      this.#more.textContent = pages(total);
      this.#show(hits.length > 0 ? pages(total) : words.nothing.replace('%q', () => query), hits);
    } catch (error) {
      if (!signal.aborted) this.#show(error.status === 503 ? words.notReady : words.problem, []);
    }
  }

  /** Shows the hits, or why there are none. */
  #show(note, hits) {
    this.#note.textContent = note;
    this.#note.className = hits.length > 0 || note === '' ? 'hidden' : 'panel';
    this.#options = hits.map((hit, i) => this.#option(hit, i));
    this.#list.replaceChildren(...this.#options);
    this.#activate(-1);
    if (hits.length > 0) this.#open();
    else this.#close(note);
  }

  #option({ url, readableUrl, title, snippet, language }, i) {
    const address = (readableUrl ?? url).replace(/^https?:\\/\\//, '');
    const option = make('a', { id: this.#list.id + '-' + i, role: 'option', part: 'hit', 'aria-selected': false, tabindex: -1, rel: 'noreferrer' },
      make('strong', { dir: 'auto', lang: language }, title === url ? address : title), make('small', { dir: 'ltr' }, address));
    if (/^https?:/.test(url)) option.href = url;
    const parts = snippet.map(({ text, hit }) => (hit ? make('mark', {}, text) : text));
    if (parts.length > 0) option.append(make('span', { dir: 'auto', lang: language }, ...parts));
    option.addEventListener('pointermove', () => this.#activate(i));
    return option;
  }

  #open() {
    const { left, width } = this.getBoundingClientRect();
    const room = document.documentElement.clientWidth - 16;
    const wanted = Math.min(room, Math.max(width, 480));
    this.#panel.style.width = wanted + 'px';
    this.#panel.style.left = Math.min(0, room + 8 - left - wanted) + 'px';
    this.#panel.hidden = false;
    this.#input.setAttribute('aria-expanded', true);
  }

  #close(note = '') {
    this.#panel.hidden = true;
    this.#input.setAttribute('aria-expanded', false);
    this.#activate(-1);
    if (note === '') this.#note.className = 'hidden';
  }

  #activate(i) {
    this.#options[this.#active]?.setAttribute('aria-selected', false);
    this.#active = i;
    const option = this.#options[i];
    option?.setAttribute('aria-selected', true);
    if (option) this.#input.setAttribute('aria-activedescendant', option.id);
    else this.#input.removeAttribute('aria-activedescendant');
  }

  #key(event) {
    // Enter also ends the conversion of Chinese and Japanese words.
    if (event.isComposing) return;
    const isOpen = !this.#panel.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && this.#options.length > 0) {
      if (!isOpen) this.#open();
      // -1, between the last option and the first one, is the typed text.
      const places = this.#options.length + 1;
      this.#activate(((this.#active + 1 + step + places) % places) - 1);
      this.#options[this.#active]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && isOpen && this.#active >= 0) this.#options[this.#active].click();
    else if (event.key === 'Escape' && (isOpen || this.#note.className === 'panel')) this.#close();
    else return;
    event.preventDefault();
  }
}

// A page may name the script twice.
if (customElements.get('webcrawl-search')) return;
customElements.define('webcrawl-search', SearchBox);
addEventListener('keydown', (event) => {
  const box = document.querySelector('webcrawl-search:not([keys=off])');
  // Browsers that fill in a form send a keydown without a key.
  const isCommand = event.key?.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
  const [target] = event.composedPath();
  const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  if (!box || event.defaultPrevented || !(isCommand || (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey))) return;
  event.preventDefault();
  box.focus();
});
})();
`;
}

/** The colours are those of the browser for the `color-scheme` of the page, so that a light page has a light box on a dark system, too. */
function styleOf({ light, dark }: { readonly light: string; readonly dark: string }): string {
  return `
:host { display: block; position: relative; max-width: 100%; text-align: start;
  --ground: var(--search-ground, Canvas); --text: var(--search-text, CanvasText);
  --accent: var(--search-accent, light-dark(${light}, ${dark})); --line: color-mix(in srgb, var(--text) 20%, var(--ground));
  --quiet: color-mix(in srgb, var(--text) 68%, var(--ground)); }
* { box-sizing: border-box; }
form { margin: 0; font-family: inherit; }
input { width: 100%; min-height: 2.75rem; padding: .5rem .9rem; font: inherit; font-size: max(1rem, 16px); color: var(--text);
  background: var(--ground); border: 1px solid var(--quiet); border-radius: var(--search-radius, 8px); }
input::placeholder { color: var(--quiet); opacity: 1; }
input:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.panel { position: absolute; z-index: 1000; top: calc(100% + .35rem); left: 0; margin: 0; max-height: min(34rem, 70vh); overflow-y: auto;
  overscroll-behavior: contain; color: var(--text); background: var(--ground); border: 1px solid var(--line);
  border-radius: var(--search-radius, 8px); box-shadow: 0 8px 30px rgb(0 0 0 / .25); font-size: .9375rem; line-height: 1.45; }
p.panel { width: 100%; padding: .75rem .9rem; }
[hidden] { display: none; }
a { display: block; padding: .6rem .9rem; color: inherit; text-decoration: none; border-inline-start: 3px solid transparent; overflow-wrap: anywhere; }
[role="option"] { border-bottom: 1px solid var(--line); }
[aria-selected="true"] { background: color-mix(in srgb, var(--accent) 12%, var(--ground)); border-inline-start-color: var(--accent); }
strong { display: block; font-weight: 600; }
small { display: block; color: var(--quiet); font-size: .8125rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
span { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; color: var(--quiet); }
mark { background: none; color: var(--text); font-weight: 600; text-decoration: underline 2px var(--accent); text-underline-offset: .15em; }
[part="more"] { color: var(--accent); font-weight: 600; }
[part="more"]:hover { text-decoration: underline; }
.hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) { [aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; } }
`;
}
