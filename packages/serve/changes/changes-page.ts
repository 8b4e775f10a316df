import { changeDetails, hostText, type LoggedRecord } from '../../changes/index.js';
import { CHANGE_KINDS } from '../../core/index.js';
import { html, type Html } from '../http/html.js';
import type { Layout } from '../pages/layout.js';
import { momentOf, outLink, shownUrl } from '../pages/untrusted.js';
import { filterParams, type AskedChanges } from './asked-changes.js';
import type { NewestChanges } from './newest-changes.js';

/** The page that lists changes, the newest first. */
export function changesPage({ filter, before }: AskedChanges, { records, older }: NewestChanges): Layout {
  const { kinds = [], host = '' } = filter;
  const params = filterParams(filter).toString();
  const feed = (path: string): string => (params === '' ? path : `${path}?${params}`);
  return {
    title: 'Changes',
    at: 'changes',
    isWide: true,
    head: html`<link rel="alternate" type="application/atom+xml" title="Changes" href="${feed('/changes.atom')}" />
      <link rel="alternate" type="application/feed+json" title="Changes" href="${feed('/changes.json')}" />`,
    main: html`<div class="head"><h1>Changes</h1></div>
      <form class="filter" method="get" action="/changes">
        <p>
          <label for="kind">Kind</label>
          <select id="kind" name="kind">
            <option value="">all</option>
            ${kinds.length > 1 && html`<option value="${kinds.join(',')}" selected>${kinds.join(', ')}</option>`}
            ${CHANGE_KINDS.map((kind) => html`<option value="${kind}" ${kinds.length === 1 && kinds[0] === kind && html`selected`}>${kind}</option>`)}
          </select>
        </p>
        <p>
          <label for="host">Host</label>
          <input id="host" name="host" value="${host}" maxlength="255" autocapitalize="none" spellcheck="false" />
        </p>
        <button type="submit">Show</button>
      </form>
      ${
        records.length === 0
          ? html`<p class="facts">
              ${before === undefined ? 'No change of a page is known.' : 'There are no older changes.'}
            </p>`
          : html`<ul class="results">
              ${records.map(changeItem)}
            </ul>`
      }
      ${
        older !== undefined &&
        html`<p><a rel="next" href="/changes?${olderParams(filter, older)}">Older changes</a></p>`
      }
      <p class="facts">
        The same as a feed: <a href="${feed('/changes.atom')}">Atom</a>,
        <a href="${feed('/changes.json')}">JSON Feed</a>, <a href="${feed('/api/changes')}">JSON</a>.
      </p>`,
  };
}

/** Returns the query parameters of the page with older changes. */
export function olderParams(filter: AskedChanges['filter'], older: string): string {
  const params = filterParams(filter);
  params.set('before', older);
  return params.toString();
}

function changeItem(record: LoggedRecord): Html {
  const { at } = record;
  if (record.type === 'host') {
    return html`<li>
      <h2><bdi dir="ltr">${record.host}</bdi></h2>
      <p class="snippet">${hostText(record)}</p>
      <ul class="meta">
        <li>${momentOf(at)}</li>
      </ul>
    </li>`;
  }
  const { url, kinds, before, after } = record;
  const title = (after.title ?? before?.title ?? '').trim();
  return html`<li>
    <h2>${outLink(url, title === '' ? shownUrl(url) : html`<bdi>${title}</bdi>`)}</h2>
    <p class="where">${shownUrl(url)}</p>
    ${changeDetails(record).map((line) => html`<p class="snippet"><bdi>${line}</bdi></p>`)}
    <ul class="meta">
      <li>${kinds.join(', ')}</li>
      <li>${momentOf(at)}</li>
    </ul>
  </li>`;
}
