import { safeText } from '../../errors/index.js';
import { pageRank } from '../../graph/index.js';
import { layoutOf, type Point } from './layout.js';
import { edgesOf, keysOf, nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';
import { xmlText } from './text-graphs.js';

/** Nodes in a picture: the best by rank. */
export const MOST_IN_PICTURE = 150;
/** Edges in a picture, those between the best nodes first. */
const MOST_EDGES = 2000;
/** Nodes with a label. */
const LABELS = 60;
const SIZE = 1200;
const MARGIN = 110;
const LABEL_LENGTH = 40;

/** The damping is the usual one, whatever the settings say: it decides only what is drawn, and how large. */
const RANKING = { damping: 0.85, tolerance: 1e-8, maxRounds: 100, danglingMass: 'spread' } as const;

/**
 * A picture for people: the nodes of the best PageRank, the better the larger, with the edges between them. The same graph has the same picture.
 */
export const svg: GraphFormatWriter = {
  kind: 'file',
  async write(output) {
    const { graph, signal } = output;
    const { ranks } = await pageRank(graph.adjacency, { ...RANKING, ...(signal && { signal }) });
    const best = bestOf(ranks, MOST_IN_PICTURE);
    const placeOf = new Map(best.map((node, place) => [node, place]));
    const names = await namesOf(output, placeOf);
    const edges = await edgesBetween(output, placeOf);
    const part = await output.target.part('graph.svg');
    await part.write(picture(output, { names, edges, ranks: best.map((node) => ranks[node]!) }));
    await part.end();
  },
};

/** The nodes of the highest numbers, of equal ones the first. */
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
  return edges.sort(([a, b], [c, d]) => Math.max(a, b) - Math.max(c, d) || a - c || b - d).slice(0, MOST_EDGES);
}

interface Picture {
  readonly names: readonly string[];
  readonly ranks: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
}

function picture({ graph }: GraphOutput, { names, ranks, edges }: Picture): string {
  const points = layoutOf(names.length, edges).map(({ x, y }): Point => ({
    x: MARGIN + x * (SIZE - 2 * MARGIN),
    y: MARGIN + y * (SIZE - 2 * MARGIN),
  }));
  const radiusOf = (place: number): number => 4 + 22 * Math.sqrt(ranks[place]! / Math.max(ranks[0] ?? 1, 1e-300));
  const { nodes, edges: all } = graph.adjacency;
  const what = { page: 'Pages', host: 'Hosts', domain: 'Domains' }[graph.level];
  const shown = names.length < nodes ? `, the ${names.length} of the best PageRank` : '';
  const lines = edges.map(([a, b]) => arrow(points[a]!, points[b]!, radiusOf(b)));
  const circles = names.map((name, place) => {
    const { x, y } = points[place]!;
    return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radiusOf(place))}"><title>${label(name, 200)} (${ranks[place]!.toPrecision(3)})</title></circle>`;
  });
  const texts = names.slice(0, LABELS).map((name, place) => {
    const { x, y } = points[place]!;
    return `<text x="${round(x)}" y="${round(y - radiusOf(place) - 4)}">${label(name, LABEL_LENGTH)}</text>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}" font-family="sans-serif">
<defs><marker id="to" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L6 3L0 6z" fill="#8a94a0"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
<text x="20" y="32" font-size="18" fill="#222">${what}: ${nodes} with ${all} edges${shown}</text>
<g stroke="#8a94a0" stroke-opacity="${edges.length > 400 ? 0.35 : 0.6}" stroke-width="1" marker-end="url(#to)">
${lines.join('\n')}
</g>
<g fill="#2f6fb0" fill-opacity="0.85" stroke="#fff">
${circles.join('\n')}
</g>
<g font-size="12" fill="#111" text-anchor="middle" paint-order="stroke" stroke="#fff" stroke-width="3">
${texts.join('\n')}
</g>
</svg>
`;
}

/** A line that ends at the rim of its target. */
function arrow(from: Point, to: Point, radius: number): string {
  const length = Math.max(Math.hypot(to.x - from.x, to.y - from.y), 1e-6);
  const part = Math.max(0, 1 - radius / length);
  const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
  return `<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(x)}" y2="${round(y)}" marker-end="url(#to)"/>`;
}

function label(text: string, most: number): string {
  const safe = safeText(text);
  return xmlText(safe.length > most ? `${safe.slice(0, most - 1)}…` : safe);
}

function round(value: number): string {
  return value.toFixed(1);
}
