import type { Spread } from './rounds.js';
import { formatNumber } from './table.js';

/** A bar with its label and its length. Bars that are `ours` have the colour of the project. */
export interface Bar {
  readonly label: string;
  readonly value: Spread | number;
  readonly ours?: boolean;
}

/** A picture: panels side by side in rows of three, each with bars or with a line. */
export interface Chart {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Series {
  readonly label: string;
  readonly points: readonly (readonly [number, number])[];
}

/** One panel of a picture. `better` tells which direction is good. Lines have points of x and y, and share one scale. */
export interface Panel {
  readonly title: string;
  readonly digits?: number;
  readonly better?: 'more' | 'less';
  readonly bars?: readonly Bar[];
  readonly lines?: { readonly series: readonly Series[]; readonly xTitle: string };
}

const WIDTH = 300;
const GAP = 28;
const MARGIN = 24;
const HEAD = 64;
const BAR = 30;
const LINE_HEIGHT = 170;
const LEGEND = 16;
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #334155 }
.title { font-size: 17px; font-weight: 600; fill: #0f172a }
.panel { font-size: 13px; font-weight: 600; fill: #0f172a }
.note { font-size: 11px; fill: #64748b }
.back { fill: #ffffff } .track { fill: #f1f5f9 } .bar { fill: #94a3b8 } .ours { fill: #2563eb }
.range { stroke: #0f172a; stroke-width: 1.5; opacity: .55 } .axis { stroke: #cbd5e1; fill: none } .line { stroke: #2563eb; stroke-width: 2; fill: none }
.line1 { stroke: #94a3b8 } .line2 { stroke: #d97706 } .line3 { stroke: #16a34a; stroke-dasharray: 5 4 }
@media (prefers-color-scheme: dark) {
text { fill: #cbd5e1 } .title, .panel { fill: #f1f5f9 } .note { fill: #94a3b8 }
.back { fill: #0f172a } .track { fill: #1e293b } .bar { fill: #64748b } .ours { fill: #60a5fa }
.range { stroke: #f1f5f9 } .axis { stroke: #334155 } .line { stroke: #60a5fa }
}`;

/** Draws a chart as SVG that is readable on light and on dark backgrounds. `footer` is below it. */
export function drawChart({ title, panels }: Chart, footer: string): string {
  const columns = Math.min(3, panels.length);
  const width = MARGIN * 2 + columns * WIDTH + (columns - 1) * GAP;
  const parts: string[] = [];
  let top = HEAD;
  for (let i = 0; i < panels.length; i += columns) {
    const row = panels.slice(i, i + columns);
    row.forEach((panel, j) => {
      const body = panel.lines ? drawLines(panel, panel.lines) : drawBars(panel, panel.bars ?? []);
      parts.push(`<g transform="translate(${MARGIN + j * (WIDTH + GAP)} ${top})">${body}</g>`);
    });
    top += Math.max(...row.map(heightOf)) + GAP;
  }
  const lines = wrap(footer, Math.floor((width - 2 * MARGIN) / 5.6));
  const notes = lines.map((line, i) => text('note', MARGIN, top + i * 15, line));
  const height = top + lines.length * 15 + MARGIN / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escape(title)}</title><style>${STYLE}\n</style>`,
    `<rect class="back" width="${width}" height="${height}" rx="10"/>`,
    text('title', MARGIN, 36, title),
    ...parts,
    ...notes,
    '</svg>\n',
  ].join('\n');
}

function heightOf({ bars, lines }: Panel): number {
  const legend = (lines?.series.length ?? 0) * LEGEND;
  return 30 + (lines ? LINE_HEIGHT + 24 + legend : (bars ?? []).length * (BAR + 10));
}

function heading({ title, better }: Panel): string {
  const hint = better ? `<tspan class="note" dx="6">${better} is better</tspan>` : '';
  return `<text class="panel" y="12">${escape(title)}${hint}</text>`;
}

function drawBars(panel: Panel, bars: readonly Bar[]): string {
  const spreads = bars.map(({ value }) =>
    typeof value === 'number' ? { median: value, min: value, max: value } : value,
  );
  const most = Math.max(...spreads.map(({ max }) => max).filter(Number.isFinite), 1e-9);
  const x = (value: number): string => ((value / most) * WIDTH).toFixed(1);
  const drawn = bars.map(({ label, ours }, i) => {
    const { median, min, max } = spreads[i]!;
    const y = 26 + i * (BAR + 10);
    const shown = formatNumber(median, panel.digits ?? 0);
    const figure = `<text x="${WIDTH}" y="${y + 12}" text-anchor="end">${shown}</text>`;
    if (!Number.isFinite(median)) return text('', 0, y + 12, label) + figure;
    const whisker =
      max > min
        ? `<path class="range" d="M${x(min)} ${y + 24}H${x(max)}M${x(min)} ${y + 20}v8M${x(max)} ${y + 20}v8"/>`
        : '';
    return (
      text('', 0, y + 12, label) +
      figure +
      `<rect class="track" y="${y + 18}" width="${WIDTH}" height="12" rx="3"/>` +
      `<rect class="${ours ? 'ours' : 'bar'}" y="${y + 18}" width="${x(median)}" height="12" rx="3"/>` +
      whisker
    );
  });
  return heading(panel) + drawn.join('');
}

function drawLines(panel: Panel, { series, xTitle }: NonNullable<Panel['lines']>): string {
  const points = series.flatMap((one) => one.points);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [least, last] = [Math.min(...xs), Math.max(...xs)];
  const most = Math.max(...ys, 1e-9);
  const place = ([x, y]: readonly [number, number]): string =>
    `${(((x - least) / (last - least || 1)) * WIDTH).toFixed(1)} ${(30 + LINE_HEIGHT * (1 - y / most)).toFixed(1)}`;
  const bottom = 30 + LINE_HEIGHT;
  const drawn = series.map((one, i) => {
    const look = i === 0 ? 'line' : `line line${i}`;
    const path = one.points.length > 0 ? `<path class="${look}" d="M${one.points.map(place).join('L')}"/>` : '';
    const y = bottom + 30 + i * LEGEND;
    const legend = `<path class="${look}" d="M0 ${y - 4}H24"/>${text('note', 32, y, one.label)}`;
    return path + legend;
  });
  return [
    heading(panel),
    `<path class="axis" d="M0 30V${bottom}H${WIDTH}"/>`,
    ...drawn,
    text('note', 4, 26, formatNumber(most, panel.digits ?? 0)),
    text('note', 0, bottom + 16, `${xTitle} ${formatNumber(least, 1)} – ${formatNumber(last, 1)}`),
  ].join('');
}

function text(name: string, x: number, y: number, content: string): string {
  return `<text${name && ` class="${name}"`} x="${x}" y="${y}">${escape(content)}</text>`;
}

function wrap(content: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of content.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line.length + word.length >= width) lines.push(line);
      line = line.length + word.length >= width || line === '' ? word : `${line} ${word}`;
    }
    if (line !== '') lines.push(line);
  }
  return lines;
}

function escape(content: string): string {
  return content.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
