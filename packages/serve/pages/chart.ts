import { html, type Html } from '../http/html.js';

const WIDTH = 320;
const HEIGHT = 72;
/** The width of the chart in pixels. */
const MAX_POINTS = 320;

/** The paths of a chart. The highest value reaches the top. */
interface ChartPaths {
  readonly line: string;
  readonly area: string;
  readonly most: number;
}

/** Draws values from left to right. If several values fall on the same pixel, the highest of them is drawn. */
export function chartPaths(values: readonly number[]): ChartPaths {
  const points = condense(values);
  const most = Math.max(0, ...points);
  const top = HEIGHT - 4;
  const x = (i: number): string => ((i * WIDTH) / Math.max(1, points.length - 1)).toFixed(1);
  const y = (value: number): string => (HEIGHT - 1 - (most > 0 ? (value / most) * top : 0)).toFixed(1);
  const line = points.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i)} ${y(value)}`).join('');
  const area = points.length > 1 ? `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` : '';
  return { line: points.length > 1 ? line : '', area, most };
}

function condense(values: readonly number[]): number[] {
  const size = Math.ceil(values.length / MAX_POINTS);
  if (size <= 1) return [...values];
  const points: number[] = [];
  for (let at = 0; at < values.length; at += size) points.push(Math.max(...values.slice(at, at + size)));
  return points;
}

/**
 * Makes a small chart. For screen readers, the chart is only an image with a name, because the figures beside it state the same.
 * @param id by which the script of the page finds the lines of the chart
 */
export function chart(id: string, name: string, { line, area }: ChartPaths): Html {
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${name}"
    data-label="${id}"
  >
    <path class="base" d="M0 ${HEIGHT - 0.5}H${WIDTH}" />
    <path class="area" data-path="${id}-area" d="${area}" />
    <path class="line" data-path="${id}-line" d="${line}" />
  </svg>`;
}
