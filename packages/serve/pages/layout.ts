import { html, type Html, type PageScript, type Piece } from '../http/html.js';
import type { Look, Site } from '../site/site.js';
import { TEXTS } from '../texts/index.js';

export interface Layout {
  /** The first words of the window title. */
  readonly title: string;
  readonly main: Html;
  readonly at?: 'search' | 'dashboard' | 'rules' | 'changes';
  readonly head?: Piece;
  /** Whether the page may be wider than text should be, for example for tables. */
  readonly isWide?: boolean;
  /** Whether the page sends forms. Browsers send the `Origin` of a form only if the referrer policy allows it. */
  readonly hasForms?: boolean;
  readonly script?: PageScript;
}

/** Makes a whole page. The page has landmarks and a link that skips the navigation. `main` must have one first-level heading. */
export function layout({ site, isOperator }: Look, page: Layout): Html {
  const { title, main, at, head, isWide = false, hasForms = false, script } = page;
  const isOfOperator = at !== undefined && at !== 'search';
  const [language, texts] = isOfOperator ? ['en', TEXTS.en] : [site.language, site.texts];
  const entries = [
    ['search', '/', texts.search],
    ...site.links.map(([text, to]) => [undefined, to, text] as const),
    ...(isOperator || isOfOperator
      ? OF_OPERATOR.map((name, i) => [name, `/${name}`, texts.operatorPages[i]!] as const)
      : []),
  ] as const;
  const wrap = isWide ? 'wrap wide' : 'wrap';
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="${hasForms ? 'same-origin' : 'no-referrer'}" />
        <title>${title === site.name ? title : `${title} – ${site.name}`}</title>
        <link rel="stylesheet" href="${site.stylePath}" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="search" type="application/opensearchdescription+xml" title="${site.name}" href="/opensearch.xml" />
        ${head}
      </head>
      <body>
        <a class="skip" href="#main">${texts.skip}</a>
        <header class="top">
          <div class="${wrap}">
            ${brand(site)}
            <nav aria-label="${texts.navigation}">
              <ul>
                ${entries.map(([name, href, label]) => html`<li><a href="${href}" ${name !== undefined && at === name && html` aria-current="page"`}>${label}</a></li>`)}
              </ul>
            </nav>
          </div>
        </header>
        <main id="main" tabindex="-1" class="${wrap}">${main}</main>
        <footer class="foot">
          <div class="${wrap}"><p>${texts.footer}</p></div>
        </footer>
        ${script?.element}
      </body>
    </html> `;
}

const OF_OPERATOR = ['dashboard', 'rules', 'changes'] as const;

function brand({ name, isNamed, logoPath }: Site): Html {
  const picture = logoPath !== undefined && html`<img src="${logoPath}" alt="" height="28" />`;
  const text = isNamed ? html`<bdi>${name}</bdi>` : html`<span>web<span>crawl</span></span>`;
  return html`<a class="brand" href="/">${picture}${text}</a>`;
}
