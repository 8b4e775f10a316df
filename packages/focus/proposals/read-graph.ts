import type { CrawlContext, Count } from '../../jobs/index.js';
import {
  LINK_FIELDS,
  NONE,
  buildGraphs,
  growingArray,
  linkRowOf,
  openAdjacencyBlocks,
  type LinkRow,
} from '../../graph/index.js';
import type { RuleSet } from '../../rules/index.js';
import { createPageJudge } from './page-judge.js';
import { TRAIT, type PageGraph } from './ways.js';

/** The graph of all pages of a table. Close it. */
export interface TableGraph extends PageGraph, AsyncDisposable {
  /** The names of the domains, by their numbers. */
  readonly names: readonly string[];
  /** The row keys of the nodes in their order, in groups. */
  keys(): AsyncIterable<readonly string[]>;
}

/** Bytes for each of the things that are sorted. */
const MEMORY = 16 * 2 ** 20;

/**
 * Reads the links of a table as a crawl by the rules of now would follow them: redirects are links, a link is written as the rules on
 * `www` say, pages that are gone lead nowhere, and no way leads through a page that a rule refuses. Beside what is sorted it holds 15 bytes
 * for each row, and one block of links.
 * @param folder for its files; they are the caller's to remove
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function readGraph(
  { tables }: Pick<CrawlContext, 'tables'>,
  ruleSet: RuleSet,
  { folder, onRow, fail, signal }: { folder: string; onRow: () => void; fail: Count; signal?: AbortSignal | undefined },
): Promise<TableGraph> {
  const judge = createPageJudge(ruleSet);
  const traits = growingArray((length) => new Uint8Array(length));
  const domains = growingArray((length) => new Uint32Array(length));
  const numbers = new Map<string, number>();
  const written = (url: string): string => ruleSet.rewrite(url)?.url ?? url;

  async function* rows(): AsyncGenerator<LinkRow> {
    for await (const row of tables.pages.scan({ fields: [...LINK_FIELDS, 'marks', 'sitemap'] })) {
      if (row.damaged) fail('damaged');
      const { domain, isTaken, isFit, isKept } = judge(row);
      const isRoot = row.marks?.inject !== undefined || row.sitemap === true;
      traits.push(
        (isFit ? TRAIT.useful : 0) |
          (isRoot ? TRAIT.root : 0) |
          (isTaken ? 0 : TRAIT.closed) |
          (row.status === undefined || row.status === 'unfetched' ? 0 : TRAIT.fetched) |
          (isKept ? TRAIT.kept : 0),
      );
      let number = numbers.get(domain);
      if (number === undefined) numbers.set(domain, (number = numbers.size));
      domains.push(number);
      const { links, redirectTarget, ...link } = linkRowOf(row);
      yield {
        ...link,
        ...(redirectTarget !== undefined && { redirectTarget: written(redirectTarget) }),
        links: links.map(written),
      };
    }
  }

  const built = await buildGraphs(rows(), {
    folder,
    levels: ['page'],
    raw: true,
    memory: MEMORY,
    count: () => undefined,
    onRow,
    ...(signal && { signal }),
  });
  const [graph] = built.graphs;
  const { adjacency, ofRow, count, keys } = graph!;
  const [ofRows, domainsOfRows] = [traits.values(), domains.values()];
  // Pages that are gone are no nodes.
  for (let row = 0; row < ofRow.length; row++) {
    const node = ofRow[row]!;
    if (node === NONE) continue;
    ofRows[node] = ofRows[row]!;
    domainsOfRows[node] = domainsOfRows[row]!;
  }
  const links = await openAdjacencyBlocks(adjacency);
  return {
    nodes: count,
    traits: ofRows.subarray(0, count),
    domains: domainsOfRows.subarray(0, count),
    names: [...numbers.keys()],
    links,
    keys,
    [Symbol.asyncDispose]: () => links[Symbol.asyncDispose](),
  };
}
