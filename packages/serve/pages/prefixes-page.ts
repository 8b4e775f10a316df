import { depthOf, type PrefixNode, type PrefixSelection } from '../../focus/index.js';
import { figures } from '../../util/index.js';
import { html, type Html } from '../http/html.js';
import type { ShownPrefixes } from '../source.js';
import { bar, figuresRow, scrolled } from './bar.js';
import type { Layout } from './layout.js';
import { rulesLayout } from './rules-page.js';
import { dayOf } from './untrusted.js';

const { number, quantity, bytes } = figures;

const MAX_INDENTED_LEVELS = 8;

/**
 * The page with the tree of prefixes and figures of the rows below each prefix. This page helps to find sections that are not worth
 * fetching.
 */
export function prefixesPage(
  shown: ShownPrefixes,
  { domain = '', min, depth }: PrefixSelection,
  isOperator: boolean,
): Layout {
  const { statistics, prefixes, more } = shown;
  const rows = prefixes.map(prefixRow);
  return rulesLayout('Prefixes', 'prefixes', [
    html`<form class="filter" method="get" action="/rules/prefixes">
      <p>
        <label for="domain">Domain</label>
        <input id="domain" name="domain" value="${domain}" maxlength="255" autocapitalize="none" spellcheck="false" />
      </p>
      <p>
        <label for="min">Fewest pages</label>
        <input id="min" name="min" type="number" min="1" value="${min ?? ''}" />
      </p>
      <p>
        <label for="depth">Levels of the path</label>
        <input id="depth" name="depth" type="number" min="0" value="${depth ?? ''}" />
      </p>
      <button type="submit">Show</button>
    </form>`,
    statistics
      ? html`<p class="facts">
          ${quantity(statistics.total.rows, 'page')} of ${quantity(statistics.origins, 'host')}, of these
          ${number(statistics.total.relevant)} marked as relevant, counted on ${dayOf(statistics.madeAt)}; prefixes with
          fewer than ${quantity(statistics.min, 'page')} are counted in the prefix above them.
        </p>`
      : html`<p>
          ${domain === '' ? 'Nothing was counted yet' : html`Nothing was counted of <bdi>${domain}</bdi> yet`}.
          ${isOperator && html`<code>webcrawl prefixes</code> reads the table once, and stores figures of the pages below each prefix.`}
        </p>`,
    rows.length > 0 &&
      html`<section class="card wide-card">
        ${scrolled('Pages by prefix', ['Prefix', 'Pages', 'Relevant', 'Share', 'Fetched', 'Errors', 'Duplicates', 'Received'], rows)}
      </section>`,
    more &&
      html`<p class="note">
        These are the first ${number(rows.length)}, and there may be more. Enter a domain to see others.
        ${isOperator && html`<code>webcrawl prefixes</code> shows all.`}
      </p>`,
    statistics && rows.length === 0 && !more && html`<p>No prefix matches.</p>`,
  ]);
}

function prefixRow(node: PrefixNode): Html {
  const { origin, host, prefix, parameter, rows, relevant, errors, duplicates, statuses } = node;
  const level = Math.min(MAX_INDENTED_LEVELS, depthOf(prefix) + (parameter === undefined ? 0 : 1));
  const fetched = (statuses.fetched ?? 0) + (statuses.notmodified ?? 0);
  const name =
    level === 0
      ? html`<a href="/rules/prefixes?${new URLSearchParams({ domain: host }).toString()}"
          ><bdi dir="ltr">${origin}</bdi></a
        >`
      : html`<bdi dir="ltr"
          >${prefix}${parameter !== undefined && html`<span class="quiet">${prefix.endsWith('?') ? '' : '… ?'}${parameter}=</span>`}</bdi
        >`;
  return figuresRow(html`<span class="in${level}">${name}</span>`, [
    number(rows),
    number(relevant),
    bar(rows > 0 ? relevant / rows : 0),
    number(fetched),
    number(errors),
    number(duplicates),
    bytes(node.bytes),
  ]);
}
