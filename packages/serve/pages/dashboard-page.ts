import { html, markup, pageScript } from '../http/html.js';
import { chart } from './chart.js';
import { CHARTS, TABLES, TILES, UNKNOWN, type DashboardFigures } from './dashboard-figures.js';
import type { Layout } from './layout.js';

/** Inserts the data of events into the page. Only changed parts are written, so that selected text and the keyboard focus do not change. */
const SCRIPT = pageScript(`
'use strict';
const put = (name, key, value, set) => {
  for (const each of document.querySelectorAll('[' + name + '="' + key + '"]')) set(each, value);
};
const state = document.querySelector('[data-state]');
const show = ({ state: now, texts, labels, paths, flat, rows }) => {
  if (state.dataset.state !== now) state.dataset.state = now;
  for (const key in texts) put('data-tile', key, texts[key], (e, v) => {
    e.hidden = v === '–';
    e.toggleAttribute('data-bad', key === 'failed' && v !== '0');
  });
  for (const key in texts) put('data-text', key, texts[key], (e, v) => { if (e.textContent !== v) e.textContent = v; });
  for (const key in labels) put('data-label', key, labels[key], (e, v) => e.setAttribute('aria-label', v));
  for (const key in paths) put('data-path', key, paths[key], (e, v) => e.setAttribute('d', v));
  for (const key in flat) put('data-chart', key, flat[key], (e, v) => { e.hidden = v; });
  for (const key in rows) {
    put('data-rows', key, rows[key], (e, v) => { if (e.seen !== v) { e.seen = v; e.innerHTML = v; } });
    put('data-card', key, rows[key], (e, v) => { e.hidden = v === ''; });
  }
};
const events = new EventSource('/dashboard/events');
events.onmessage = ({ data }) => show(JSON.parse(data));
const say = (state) => show({ state: 'lost', texts: { state }, labels: {}, paths: {}, flat: {}, rows: {} });
const load = () => fetch('/healthz').then(() => location.reload(), () => setTimeout(load, 5000));
events.onerror = () => {
  if (events.readyState !== EventSource.CLOSED) return say('This server does not respond; retrying');
  say('No live figures: too many viewers. This page is reloaded every ten seconds');
  setTimeout(load, 10000);
};
`);

/** The page that shows the running crawl. Without scripts it is reloaded every five seconds. */
export function dashboardPage(figures: DashboardFigures): Layout {
  const { state, texts, labels, paths, flat, rows } = figures;
  return {
    title: 'Dashboard',
    at: 'dashboard',
    isWide: true,
    head: html`<noscript><meta http-equiv="refresh" content="5" /></noscript>`,
    script: SCRIPT,
    main: html`<div class="head">
        <h1>Dashboard</h1>
        <p class="state" role="status" data-state="${state}"><span data-text="state">${texts.state}</span></p>
        <p class="since" data-text="since">${texts.since}</p>
      </div>
      <dl class="tiles">
        ${TILES.map(([id, name]) => {
          const text = texts[id] ?? UNKNOWN;
          const isBad = id === 'failed' && text !== UNKNOWN && text !== '0';
          return html`<div data-tile="${id}" ${text === UNKNOWN && html` hidden`} ${isBad && html` data-bad`}>
            <dt>${name}</dt>
            <dd data-text="${id}">${text}</dd>
          </div>`;
        })}
      </dl>
      <div class="cards small">
        ${CHARTS.map(
          ({ id, name }) =>
            html`<section
              class="card${id === 'errorRate' && html` fails`}"
              data-chart="${id}"
              ${flat[id] && html` hidden`}
              aria-labelledby="c-${id}"
            >
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
      <div class="cards tables">
        ${TABLES.map(({ id, name, columns }) => {
          const body = rows[id] ?? '';
          return html`<section class="card" data-card="${id}" ${body === '' && html` hidden`} aria-labelledby="t-${id}">
            <h2 id="t-${id}">${name}</h2>
            <table class="rows" aria-labelledby="t-${id}">
              <thead>
                <tr>
                  ${columns.map((column) => html`<th scope="col">${column}</th>`)}
                </tr>
              </thead>
              <tbody data-rows="${id}">
                ${markup(body)}
              </tbody>
            </table>
          </section>`;
        })}
      </div>`,
  };
}
