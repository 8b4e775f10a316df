import type { CrawlContext, Count, PageRow } from '../../core/index.js';
import { LINK_FIELDS, buildGraphs, linkRowOf, openAdjacencyBlocks, type LinkRow } from '../../graph/index.js';
import { growingArray, NONE } from '../../scan/index.js';
import type { RuleSet } from '../../rules/index.js';
import { createPageJudge } from './page-judge.js';
import { TRAIT, type PageGraph } from './ways.js';

/** The graph of all pages of a table. Its owner must close it. */
export interface TableGraph extends PageGraph, AsyncDisposable {
  /** The names of the domains. The index is the number of the domain. */
  readonly names: readonly string[];
  readonly ruleSet: RuleSet;
  /** The numbers of domains with a row that cannot be read, so that its links are unknown. */
  readonly damaged: ReadonlySet<number>;
  /** The row keys of the nodes in order, in groups. */
  keys(): AsyncIterable<readonly string[]>;
}

/** Parse results of a page whose links are known: the page was parsed, or its type has no links. */
const KNOWN: ReadonlySet<string> = new Set(['success', 'unsupported_type']);
const SORT_BYTES = 16 * 2 ** 20;

/**
 * Reads the links of a table as a crawl with the present rules would follow them. Redirects are links. Each link gets the URL that the
 * `www` rules give it. Pages that are gone have no links, and no way leads through a page that a rule refuses. Other reasons to refuse a
 * page are ignored: URL filters of the settings, plugins, scope, distance and robots.txt. The page may have been fetched before it was
 * refused for such a reason, so a way may lead through it. In addition to the sorts, reading takes 15 bytes of memory for each row, and
 * one block of links.
 * @param folder for the files of the graph; the caller must remove them
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function readGraph(
  { tables }: Pick<CrawlContext, 'tables'>,
  ruleSet: RuleSet,
  { folder, onRow, fail, signal }: { folder: string; onRow: () => void; fail: Count; signal?: AbortSignal | undefined },
): Promise<TableGraph> {
  const judge = createPageJudge(ruleSet);
  const traits = growingArray(Uint8Array);
  const domains = growingArray(Uint32Array);
  const numbers = new Map<string, number>();
  const damaged = new Set<number>();
  const written = (url: string): string => ruleSet.rewrite(url)?.url ?? url;

  async function* rows(): AsyncGenerator<LinkRow> {
    for await (const row of tables.pages.scan({ fields: [...LINK_FIELDS, 'marks', 'sitemap'] })) {
      const { url, domain, isTaken, isRelevant, isKept } = judge(row);
      const isRoot = row.marks?.inject !== undefined || row.sitemap === true;
      traits.push(
        (isRelevant ? TRAIT.relevant : 0) |
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
    memory: SORT_BYTES,
    count: () => undefined,
    onRow,
    ...(signal && { signal }),
  });
  const [graph] = built.graphs;
  const { adjacency, ofRow, count, keys } = graph!;
  const [ofRows, domainsOfRows] = [traits.values(), domains.values()];
  // The graph has no node for a page that is gone.
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
    timeSlice: tables.timeSlice,
    keys,
    [Symbol.asyncDispose]: () => links[Symbol.asyncDispose](),
  };
}

/** Whether the table has the links of a page. It does not have them if the page was not fetched, or not parsed successfully. */
function isRead({ status, redirectTarget, parseStatus }: PageRow<(typeof LINK_FIELDS)[number]>): boolean {
  if (status === undefined || status === 'unfetched') return false;
  return redirectTarget !== undefined || (parseStatus !== undefined && KNOWN.has(parseStatus.code));
}
