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
import type { PageRow } from '../../../webtable/index.js';
import { TRAIT, type PageGraph } from './ways.js';

/** The graph of all pages of a table. Close it. */
export interface TableGraph extends PageGraph, AsyncDisposable {
  /** The names of the domains, by their numbers. */
  readonly names: readonly string[];
  /** The rules by which it was read. */
  readonly ruleSet: RuleSet;
  /** The numbers of the domains of which a row cannot be read: nobody knows where it led. */
  readonly damaged: ReadonlySet<number>;
  /** The row keys of the nodes in their order, in groups. */
  keys(): AsyncIterable<readonly string[]>;
}

/** What a parser says of a page of which the links are known: it has been read, or is of no type that has any. */
const KNOWN: ReadonlySet<string> = new Set(['success', 'unsupported_type']);
/** Bytes for each of the things that are sorted. */
const MEMORY = 16 * 2 ** 20;

/**
 * Reads the links of a table as a crawl by the rules of the table would follow them: redirects are links, a link is written as the rules on
 * `www` say, pages that are gone lead nowhere, and no way leads through a page that a rule refuses. What else may refuse a page (URL
 * filters of the settings, plugins, `stay`, distances, robots.txt) is not looked at: a way may lead through a page that was fetched before it was
 * refused so. Beside what is sorted it holds 15 bytes
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
  const damaged = new Set<number>();
  const written = (url: string): string => ruleSet.rewrite(url)?.url ?? url;

  async function* rows(): AsyncGenerator<LinkRow> {
    for await (const row of tables.pages.scan({ fields: [...LINK_FIELDS, 'marks', 'sitemap'] })) {
      const { url, domain, isTaken, isFit, isKept } = judge(row);
      const isRoot = row.marks?.inject !== undefined || row.sitemap === true;
      traits.push(
        (isFit ? TRAIT.useful : 0) |
          (isRoot ? TRAIT.root : 0) |
          (isTaken ? 0 : TRAIT.closed) |
          (row.status === undefined || row.status === 'unfetched' ? 0 : TRAIT.fetched) |
          (isKept ? TRAIT.kept : 0) |
          (!isTaken && ruleSet.decides(url)?.origin === 'generated' ? TRAIT.pruned : 0) |
          (isRead(row) ? TRAIT.read : 0),
      );
      let number = numbers.get(domain);
      if (number === undefined) numbers.set(domain, (number = numbers.size));
      domains.push(number);
      if (row.damaged) {
        fail('damaged');
        damaged.add(number);
      }
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
    ruleSet,
    damaged,
    links,
    turns: tables.turns,
    keys,
    [Symbol.asyncDispose]: () => links[Symbol.asyncDispose](),
  };
}

/** Whether the table knows where a page leads: of one that was fetched and not parsed, or not with success, it does not. */
function isRead({ status, redirectTarget, parseStatus }: PageRow<(typeof LINK_FIELDS)[number]>): boolean {
  if (status === undefined || status === 'unfetched') return false;
  return redirectTarget !== undefined || (parseStatus !== undefined && KNOWN.has(parseStatus.code));
}
