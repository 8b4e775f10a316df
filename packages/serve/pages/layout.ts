import { html, type Html, type Piece } from '../http/html.js';
import { STYLE_PATH } from './style.js';

/** What a page of ours consists of. */
export interface Layout {
  /** The first words of the title of the window. */
  readonly title: string;
  readonly main: Html;
  /** Which entry of the navigation this is. */
  readonly at?: 'search' | 'dashboard' | 'rules';
  /** Further elements of the head. */
  readonly head?: Piece;
  /** Wider than text is read well. */
  readonly isWide?: boolean;
  /** It sends forms, of which a browser says the origin only where it may say where it comes from. */
  readonly hasForms?: boolean;
  /** Scripts, at the end. */
  readonly script?: Html;
}

const ENTRIES = [
  ['search', '/', 'Search'],
  ['dashboard', '/dashboard', 'Dashboard'],
  ['rules', '/rules', 'Rules'],
] as const;

/** A whole page: landmarks, a link past the navigation, one heading of the first level in `main`. */
export function layout({ title, main, at, head, isWide = false, hasForms = false, script }: Layout): Html {
  const wrap = isWide ? 'wrap wide' : 'wrap';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="${hasForms ? 'same-origin' : 'no-referrer'}" />
        <title>${title} – webcrawl</title>
        <link rel="stylesheet" href="${STYLE_PATH}" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="search" type="application/opensearchdescription+xml" title="webcrawl" href="/opensearch.xml" />
        ${head}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <div class="${wrap}">
            <a class="brand" href="/">web<span>crawl</span></a>
            <nav aria-label="Site">
              <ul>
                ${ENTRIES.map(([name, href, label]) => html`<li><a href="${href}" ${at === name && html` aria-current="page"`}>${label}</a></li>`)}
              </ul>
            </nav>
          </div>
        </header>
        <main id="main" tabindex="-1" class="${wrap}">${main}</main>
        <footer class="foot">
          <div class="${wrap}"><p>Pages, titles and texts are those of the sites that were crawled.</p></div>
        </footer>
        ${script}
      </body>
    </html> `;
}

/** The icon of the window. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#17695a"/>' +
  '<circle cx="14" cy="14" r="6.5" fill="none" stroke="#fff" stroke-width="3"/><path d="M19 19l6.5 6.5" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>\n';
