import { safeText } from '../../errors/index.js';
import { pageRank } from '../../graph/index.js';
import { edgesOf, keysOf, nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';
import { xmlText } from './text-graphs.js';

export const MAX_PICTURE_NODES = 150;
const MAX_PICTURE_EDGES = 2000;
const SIZE = 1200;
const CIRCLE_RADIUS = 350;
const MAX_NODE_RADIUS = 22;
const LABEL_LENGTH = 36;

/** The damping does not come from the settings, because the rank only decides which nodes are drawn, and how large. */
const RANKING = { damping: 0.85, tolerance: 1e-8, maxIterations: 100, danglingMass: 'spread' } as const;

/**
 * Draws a picture for human readers: the nodes with the best PageRank on a circle, with the edges between them. A better node is larger.
 * The same graph always gives the same picture.
 */
export const svg: GraphFormatWriter = {
  kind: 'file',
  async write(output) {
    const { graph, signal } = output;
    const { ranks } = await pageRank(graph.adjacency, { ...RANKING, ...(signal && { signal }) });
    const best = bestOf(ranks, MAX_PICTURE_NODES);
    const placeOf = new Map(best.map((node, place) => [node, place]));
    const names = await namesOf(output, placeOf);
    const edges = await edgesBetween(output, placeOf);
    const part = await output.target.part('graph.svg');
    await part.write(
      picture(output, { names, edges, places: circleOf(best), ranks: best.map((node) => ranks[node]!) }),
    );
    await part.end();
  },
};

/** The nodes with the highest ranks. Of nodes with equal ranks, the first in key order are returned. */
function bestOf(ranks: Float64Array, most: number): readonly number[] {
  let best: number[] = [];
  let least = -Infinity;
  const cut = (): void => {
    best = best.sort((a, b) => ranks[b]! - ranks[a]! || a - b).slice(0, most);
    if (best.length === most) least = ranks[best[most - 1]!]!;
  };
  for (let node = 0; node < ranks.length; node++) {
    if (ranks[node]! <= least) continue;
    if (best.push(node) >= 20 * most) cut();
  }
  cut();
  return best;
}

async function namesOf(output: GraphOutput, placeOf: ReadonlyMap<number, number>): Promise<readonly string[]> {
  const names: string[] = [];
  let node = 0;
  for await (const keys of keysOf(output)) {
    for (const key of keys) {
      const place = placeOf.get(node++);
      if (place !== undefined) names[place] = nameOf(output.graph.level, key);
    }
  }
  return names;
}

async function edgesBetween(output: GraphOutput, placeOf: ReadonlyMap<number, number>) {
  const edges: (readonly [number, number])[] = [];
  for await (const [source, target] of edgesOf(output)) {
    const [from, to] = [placeOf.get(source), placeOf.get(target)];
    if (from !== undefined && to !== undefined) edges.push([from, to]);
  }
  return edges.sort(([a, b], [c, d]) => Math.max(a, b) - Math.max(c, d) || a - c || b - d).slice(0, MAX_PICTURE_EDGES);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Place extends Point {
  readonly angle: number;
}

const MIDDLE: Point = { x: SIZE / 2, y: SIZE / 2 + 10 };

/** Returns a place for each node, clockwise from the top in key order. So pages of one host, or hosts of one domain, are neighbours. */
function circleOf(nodes: readonly number[]): readonly Place[] {
  const places = new Map(nodes.toSorted((a, b) => a - b).map((node, i) => [node, i]));
  return nodes.map((node) => {
    const angle = (2 * Math.PI * places.get(node)!) / nodes.length - Math.PI / 2;
    return { x: MIDDLE.x + CIRCLE_RADIUS * Math.cos(angle), y: MIDDLE.y + CIRCLE_RADIUS * Math.sin(angle), angle };
  });
}

interface Picture {
  /** The names of the nodes, the best first. */
  readonly names: readonly string[];
  readonly places: readonly Place[];
  readonly ranks: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
}

function picture({ graph }: GraphOutput, { names, places, ranks, edges }: Picture): string {
  // The circumference limits the radius, so that neighbours of equal rank do not touch.
  const largest = Math.min(MAX_NODE_RADIUS, (Math.PI * CIRCLE_RADIUS) / Math.max(names.length, 1));
  const radiusOf = (node: number): number => 2 + largest * Math.sqrt(ranks[node]! / Math.max(ranks[0] ?? 1, 1e-300));
  const { nodes, edges: all } = graph.adjacency;
  const what = { page: 'Pages', host: 'Hosts', domain: 'Domains' }[graph.level];
  const shown = names.length < nodes ? `, the ${names.length} of the best PageRank` : '';
  const lines = edges.map(([a, b]) => arrow(places[a]!, places[b]!, radiusOf(b)));
  const circles = names.map((name, node) => {
    const { x, y } = places[node]!;
    return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radiusOf(node))}"><title>${label(name, 200)} (${ranks[node]!.toPrecision(3)})</title></circle>`;
  });
  const texts = names.map((name, node) => textLocation(places[node]!, radiusOf(node) + 4, label(name, LABEL_LENGTH)));
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}" font-family="sans-serif">
<defs><marker id="to" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L6 3L0 6z" fill="#8a94a0"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
<text x="20" y="32" font-size="18" fill="#222">${what}: ${nodes} with ${all} edges${shown}</text>
<g stroke="#8a94a0" stroke-opacity="${edges.length > 400 ? 0.35 : 0.6}" fill="none" marker-end="url(#to)">
${lines.join('\n')}
</g>
<g fill="#2f6fb0" fill-opacity="0.85" stroke="#fff">
${circles.join('\n')}
</g>
<g font-size="11" fill="#111">
${texts.join('\n')}
</g>
</svg>
`;
}

function arrow(from: Point, to: Point, radius: number): string {
  const bend = { x: (from.x + to.x) / 4 + MIDDLE.x / 2, y: (from.y + to.y) / 4 + MIDDLE.y / 2 };
  const length = Math.max(Math.hypot(to.x - bend.x, to.y - bend.y), 1e-6);
  const end = { x: to.x - ((to.x - bend.x) * radius) / length, y: to.y - ((to.y - bend.y) * radius) / length };
  return `<path d="M${round(from.x)} ${round(from.y)}Q${round(bend.x)} ${round(bend.y)} ${round(end.x)} ${round(end.y)}"/>`;
}

/** Draws a radial text outside the circle. On the left half the text is turned around, so that it is never upside down. */
function textLocation({ angle }: Place, distance: number, text: string): string {
  const isLeft = Math.cos(angle) < -1e-9;
  const degrees = (angle * 180) / Math.PI + (isLeft ? 180 : 0);
  const x = (isLeft ? -1 : 1) * (CIRCLE_RADIUS + distance);
  const turn = `translate(${round(MIDDLE.x)} ${round(MIDDLE.y)}) rotate(${round(degrees)})`;
  return `<text transform="${turn}" x="${round(x)}" dy="0.35em"${isLeft ? ' text-anchor="end"' : ''}>${text}</text>`;
}

function label(text: string, most: number): string {
  const safe = safeText(text);
  return xmlText(safe.length > most ? `${safe.slice(0, most - 1)}…` : safe);
}

function round(value: number): string {
  return value.toFixed(1);
}
