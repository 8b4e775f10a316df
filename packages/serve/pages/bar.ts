import { html, type Html } from '../http/html.js';

/**
 * Draws a partly filled bar. Screen readers skip the bar, because the figure beside it states the same.
 * @param part the filled part, from 0 to 1
 */
export function bar(part: number): Html {
  const width = Math.round(100 * Math.min(1, Math.max(0, part)));
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="base" width="100" height="8" />
    <rect class="part" width="${width}" height="8" />
  </svg>`;
}

/** A list of names and values, as tiles or as pairs. */
export function namedValues(kind: 'pairs' | 'tiles', entries: readonly (readonly [string, Html | string])[]): Html {
  return html`<dl class="${kind}">
    ${entries.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

export function scrolled(name: string, head: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0">
    <table class="rows figures">
      <caption class="hidden">
        ${name}
      </caption>
      <thead>
        <tr>
          ${head.map((each) => html`<th scope="col">${each}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

export function figuresRow(name: Html | string, cells: readonly (Html | string)[]): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}
