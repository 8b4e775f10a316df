import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface ThreadProfile {
  readonly isMain: boolean;
  readonly seconds: ReadonlyMap<string, number>;
}

/** The file that Node writes with `--cpu-prof`. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export const IDLE = 'idle';
const START_UP = 'start-up: loading modules';
const MESSAGES = 'messages between threads';
const NODE = 'node internals';
const NATIVE = 'outside JavaScript';
const OTHER = 'other';

const META: ReadonlyMap<string, string> = new Map([
  ['(idle)', IDLE],
  ['(garbage collector)', 'garbage collection'],
  ['(program)', NATIVE],
  ['(root)', NATIVE],
]);
/** Parts by the location of a function: a path in its package, or below `dist`. The first match counts. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^(parse5|entities)\/|^packages\/parse\/html\/html-tree/, 'parse5'],
  [/^packages\/parse\/(text|shared\/text-builder)/, 'text'],
  [/^packages\/parse\/(charset|encodings|meta-prescan|sniff)/, 'charset decoding'],
  [/^packages\/parse\//, 'HTML scan'],
  [/^packages\/(url|plugins|plugin-api)\/|^webtable\/keys\/row-key|^(tldts|tldts-core|re2js)\//, 'URLs and rules'],
  [/^webtable\//, 'table codec and indexes'],
  [/^(classic-level|abstract-level)\//, 'LevelDB calls'],
  [/^undici\/|^wasm:/, 'undici'],
  [/^packages\/fetch\//, 'fetch: queues, robots.txt, bodies'],
  [/^packages\/jobs\//, 'jobs'],
  [/^node:internal\/worker/, MESSAGES],
  [/^node:/, NODE],
];
const LOADER = /^node:internal\/(modules|bootstrap|main|process\/(pre_execution|esm_loader))/;
/** The time of these functions counts for their callers. */
const LIBRARY = /^node:((internal\/)?(buffer|crypto|url|util)|internal\/(encoding|errors|validators))/;
const DIST = new URL('../../', import.meta.url).href;

export async function readProfiles(folder: string): Promise<ThreadProfile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'));
  return Promise.all(
    names.map(async (name) => ({
      // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
      isMain: name.split('.')[4] === '0',
      seconds: secondsByPart(JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile),
    })),
  );
}

/**
 * Sums up the samples of a profile. Each belongs to the innermost function that is in one of the parts. So the time of engine built-ins and
 * of Node's own libraries belongs to their callers.
 */
export function secondsByPart({ nodes, samples, timeDeltas }: CpuProfile, dist = DIST): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const parts = new Map(nodes.map((node) => [node.id, partOf(node)]));

  function partOf(node: ProfileNode): string {
    const meta = META.get(node.callFrame.functionName);
    if (meta !== undefined) return meta;
    let found: string | undefined;
    for (let at: ProfileNode | undefined = node; at; at = parents.get(at.id)) {
      const { functionName, url } = at.callFrame;
      const place = placeOf(url, dist);
      if (LOADER.test(place)) return START_UP;
      if (found === undefined && functionName === 'postMessage') found = MESSAGES;
      if (found !== undefined || place === '' || LIBRARY.test(place)) continue;
      found = PARTS.find(([pattern]) => pattern.test(place))?.[1] ?? OTHER;
    }
    return found ?? NODE;
  }

  const seconds = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const part = byId.has(id) ? parts.get(id)! : OTHER;
    seconds.set(part, (seconds.get(part) ?? 0) + (timeDeltas[i + 1] ?? 0) / 1e6);
  }
  return seconds;
}

function placeOf(url: string, dist: string): string {
  const packages = url.lastIndexOf('/node_modules/');
  if (packages >= 0) return url.slice(packages + '/node_modules/'.length);
  return url.startsWith(dist) ? url.slice(dist.length) : url;
}
