import { createHash } from 'node:crypto';
import { html, markup, type Html } from '../http/html.js';
import { chart } from './chart.js';
import { CHARTS, TABLES, TILES, type DashboardFigures } from './dashboard-figures.js';
import { layout } from './layout.js';

/** Puts what comes as events in its place. What a reader has selected or reached by keyboard stays, since only what changed is written. */
const SCRIPT = `
'use strict';
const put = (name, key, value, set) => {
  for (const each of document.querySelectorAll('[' + name + '="' + key + '"]')) set(each, value);
};
const state = document.querySelector('[data-state]');
const show = ({ state: now, texts, labels, paths, rows }) => {
  if (state.dataset.state !== now) state.dataset.state = now;
  for (const key in texts) put('data-text', key, texts[key], (e, v) => { if (e.textContent !== v) e.textContent = v; });
  for (const key in labels) put('data-label', key, labels[key], (e, v) => e.setAttribute('aria-label', v));
  for (const key in paths) put('data-path', key, paths[key], (e, v) => e.setAttribute('d', v));
  for (const key in rows) {
    put('data-rows', key, rows[key], (e, v) => { if (e.seen !== v) { e.seen = v; e.innerHTML = v; } });
    put('data-table', key, rows[key], (e, v) => { e.hidden = v === ''; });
    put('data-none', key, rows[key], (e, v) => { e.hidden = v !== ''; });
  }
};
const events = new EventSource('/dashboard/events');
events.onmessage = ({ data }) => show(JSON.parse(data));
const say = (state) => show({ state: 'lost', texts: { state }, labels: {}, paths: {}, rows: {} });
const load = () => fetch('/healthz').then(() => location.reload(), () => setTimeout(load, 5000));
events.onerror = () => {
  if (events.readyState !== EventSource.CLOSED) return say('This server does not answer; it is asked again');
  say('No live figures now, as too many look at them; the page is loaded anew every ten seconds');
  setTimeout(load, 10000);
};
`;

/** The policy of the dashboard: its script alone, by digest, may run, and ask this server. */
export const DASHBOARD_POLICY =
  `default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; ` +
  `frame-ancestors 'none'; script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;

/** The page that shows the crawl that runs; without scripts it is loaded anew every five seconds. */
export function dashboardPage(figures: DashboardFigures): Html {
  const { state, texts, labels, paths, rows } = figures;
  return layout({
    title: 'Dashboard',
    at: 'dashboard',
    isWide: true,
    head: html`<noscript><meta http-equiv="refresh" content="5" /></noscript>`,
    // The digest is of these very characters.
    script: markup(`<script>${SCRIPT}</script>`),
    main: html`<div class="head">
        <h1>Dashboard</h1>
        <p class="state" role="status" data-state="${state}"><span data-text="state">${texts.state}</span></p>
        <p class="since" data-text="since">${texts.since}</p>
      </div>
      <dl class="tiles">
        ${TILES.map(
          ([id, name]) =>
            html`<div>
              <dt>${name}</dt>
              <dd data-text="${id}">${texts[id] ?? '–'}</dd>
            </div>`,
        )}
      </dl>
      <div class="cards small">
        ${CHARTS.map(
          ({ id, name }) =>
            html`<section class="card" aria-labelledby="c-${id}">
              <h2 id="c-${id}">${name}</h2>
              <p class="now" data-text="${id}-now">${texts[`${id}-now`]}</p>
              ${chart(id, labels[id] ?? name, { line: paths[`${id}-line`] ?? '', area: paths[`${id}-area`] ?? '', most: 0 })}
              <p class="axis">
                <span data-text="${id}-span">${texts[`${id}-span`]}</span
                ><span data-text="${id}-most">${texts[`${id}-most`]}</span>
              </p>
            </section>`,
        )}
      </div>
      <div class="cards">
        ${TABLES.map(({ id, name, columns, none }) => {
          const body = rows[id] ?? '';
          return html`<section class="card" aria-labelledby="t-${id}">
            <h2 id="t-${id}">${name}</h2>
            <table class="rows" data-table="${id}" ${body === '' && html` hidden`} aria-labelledby="t-${id}">
              <thead>
                <tr>
                  ${columns.map((column) => html`<th scope="col">${column}</th>`)}
                </tr>
              </thead>
              <tbody data-rows="${id}">
                ${markup(body)}
              </tbody>
            </table>
            <p class="none" data-none="${id}" ${body !== '' && html` hidden`}>${none}</p>
          </section>`;
        })}
      </div>`,
  });
}
