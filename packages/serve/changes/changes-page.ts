import { changeDetails, hostText, type ChangeDiff, type LoggedRecord } from '../../changes/index.js';
import { CHANGE_KINDS } from '../../core/index.js';
import { figures } from '../../util/index.js';
import { html, type Html } from '../http/html.js';
import type { Layout } from '../pages/layout.js';
import { dayOf, outLink, shownUrl } from '../pages/untrusted.js';
import { filterParams, type AskedChanges } from './asked-changes.js';
import type { NewestChanges } from './newest-changes.js';
import type { ShownDiffs } from './shown-diffs.js';

const { quantity } = figures;
/** Kinds after which a page is not there. */
const BAD_KINDS: readonly string[] = ['gone', 'status'];

export function changesPage(
  { filter, before }: AskedChanges,
  { records, bytesOnly, older, isCut }: NewestChanges,
  diffs: ShownDiffs,
): Layout {
  const { kinds = [], host = '' } = filter;
  const params = filterParams(filter).toString();
  const missing = [...new Set([...diffs.values()].flatMap((diff) => ('missing' in diff ? [diff.missing] : [])))];
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
              ${isCut ? 'There are none among the changes that were read for this page.' : before === undefined ? 'No change of a page is known.' : 'There are no older changes.'}
            </p>`
          : daysOf(records).map(
              (ofDay) =>
                html`<h2 class="day">${dayOf(ofDay[0]!.at)}</h2>
                  <ul class="changes">
                    ${ofDay.map((record) => changeItem(record, diffs.get(record.cursor)))}
                  </ul>`,
            )
      }
      ${
        missing.length > 0 && html`<p class="facts">The words of some changes are not known: ${missing.join('; ')}.</p>`
      }
      ${
        bytesOnly > 0 &&
        html`<p class="facts">
          <a href="/changes?${filterParams({ ...filter, kinds: ['bytes'] }).toString()}"
            >${quantity(bytesOnly, 'page')} with other bytes only</a
          >
        </p>`
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

export function olderParams(filter: AskedChanges['filter'], older: string): string {
  const params = filterParams(filter);
  params.set('before', older);
  return params.toString();
}

function daysOf(records: readonly LoggedRecord[]): LoggedRecord[][] {
  const days: LoggedRecord[][] = [];
  for (const record of records) {
    const last = days.at(-1);
    if (last && isoOf(last[0]!.at).slice(0, 10) === isoOf(record.at).slice(0, 10)) last.push(record);
    else days.push([record]);
  }
  return days;
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

function changeItem(record: LoggedRecord, diff: ChangeDiff | undefined): Html {
  const time = html`<time datetime="${isoOf(record.at)}">${isoOf(record.at).slice(11, 16)} UTC</time>`;
  if (record.type === 'host') {
    return html`<li data-bad>
      <p class="kinds">host fails ${time}</p>
      <div>
        <h3><bdi dir="ltr">${record.host}</bdi></h3>
        <p class="snippet">${hostText(record)}</p>
      </div>
    </li>`;
  }
  const { url, kinds, before, after } = record;
  const title = (after.title ?? before?.title ?? '').trim();
  return html`<li ${kinds.some((kind) => BAD_KINDS.includes(kind)) && html`data-bad`}>
    <p class="kinds">${kinds.join(', ')} ${time}</p>
    <div>
      <h3>${outLink(url, title === '' ? shownUrl(url) : html`<bdi>${title}</bdi>`)}</h3>
      ${title !== '' && html`<p class="where">${shownUrl(url)}</p>`}
      ${changeDetails(record).map((line) => html`<p class="snippet"><bdi>${line}</bdi></p>`)} ${diff && shownDiff(diff)}
    </div>
  </li>`;
}

function shownDiff(diff: ChangeDiff): Html | false {
  if ('missing' in diff) return false;
  const { added, removed, places, isCut } = diff;
  return html`<p class="quiet">${quantity(added, 'word')} inserted, ${quantity(removed, 'word')} deleted</p>
    ${places.map(
      (parts) =>
        html`<p class="diff" dir="auto">
          ${parts.map(({ sign, text }) => {
            if (sign === ' ') return html`${text} `;
            return sign === '+' ? html`<ins>${text}</ins> ` : html`<del>${text}</del> `;
          })}
        </p>`,
    )}
    ${isCut && html`<p class="quiet">(more was left out)</p>`}`;
}
