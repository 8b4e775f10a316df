import type { NewsKind } from './news-paths.js';
import type { NewsWeb } from './news-web.js';

/** The kinds of pages that it fetches. Other pages have no links to articles that these do not have. */
const KINDS: ReadonlySet<NewsKind> = new Set([
  'front',
  'article',
  'section',
  'archive',
  'year',
  'month',
  'day',
  'tag',
  'author',
]);

interface Node {
  readonly isArticle: boolean;
  readonly links: Int32Array;
}

/**
 * Crawls with knowledge of the whole web, and with the same budget in each round. It fetches only pages that a page of an earlier round
 * links to, and no page twice. It prefers articles, those first that lead to most unknown articles. It fetches as few other pages as
 * possible: with the rest of the budget, or when the next round would lack articles; again those first that lead to most. Finding the best
 * choice is a hard problem, so this is a good crawler and not an upper bound; the bound is a budget full of articles in every round but the
 * first.
 */
export function crawlKnowing(web: NewsWeb, rounds: number, budget: number) {
  const nodes = graphOf(web);
  const isKnown = new Uint8Array(nodes.length);
  const isDone = new Uint8Array(nodes.length);
  web.seeds.forEach((_, seed) => (isKnown[seed] = 1));
  const leadsOn = (node: number): boolean => nodes[node]!.links.some((link) => isKnown[link] === 0);
  const gainOf = (node: number): number =>
    nodes[node]!.links.reduce((sum, link) => sum + (nodes[link]!.isArticle && isKnown[link] === 0 ? 1 : 0), 0);
  const fetch = (node: number, found: number[]): number => {
    isDone[node] = 1;
    const gain = gainOf(node);
    // Only the next round may fetch the pages that this page links to.
    for (const link of nodes[node]!.links) {
      if (isKnown[link] === 1) continue;
      isKnown[link] = 1;
      found.push(link);
    }
    return gain;
  };

  return Array.from({ length: rounds }, (_, round) => {
    const open = nodes.flatMap((_, node) => (isKnown[node] === 1 && isDone[node] === 0 ? [node] : []));
    const articles = ranked(
      open.filter((node) => nodes[node]!.isArticle),
      gainOf,
    );
    const others = ranked(
      open.filter((node) => !nodes[node]!.isArticle && leadsOn(node)),
      gainOf,
    );
    const found: number[] = [];
    let fetched = 0;
    let useful = 0;
    let stock = articles.length;
    for (const other of others) {
      const spare = budget - Math.min(budget, articles.length) > fetched;
      // Each one replaces an article, which is then left for the next round.
      if (!spare && (round + 1 === rounds || stock - (budget - fetched) >= budget || fetched >= budget)) break;
      stock += fetch(other, found);
      fetched += 1;
    }
    for (const article of articles.slice(0, budget - fetched)) {
      fetch(article, found);
      useful += 1;
    }
    return { fetched: fetched + useful, useful };
  });
}

function ranked(nodes: readonly number[], gainOf: (node: number) => number): number[] {
  return nodes
    .map((node) => [gainOf(node), node] as const)
    .sort(([a], [b]) => b - a)
    .map(([, node]) => node);
}

/** The pages that a crawl from the seeds can reach, the seeds first. It uses only one form of twins, and no sessions. */
function graphOf(web: NewsWeb): Node[] {
  const numbers = new Map(web.seeds.map((url, i) => [url, i]));
  const twins = new Set(web.sites.flatMap(({ twin }) => (twin === undefined ? [] : [twin])));
  const urls = [...web.seeds];
  const nodes: Node[] = [];
  const kinds = new Map<string, boolean>();
  const isLookedAt = (url: string): boolean => {
    let found = kinds.get(url);
    if (found === undefined) {
      const kind = twins.has(url.slice(7, url.indexOf('/', 7))) ? undefined : web.kindOf(url);
      kinds.set(url, (found = kind !== undefined && KINDS.has(kind)));
    }
    return found;
  };
  // The list grows while it is read.
  for (const url of urls) {
    const { links, article } = web.answerOf(url)!;
    const ids = new Set<number>();
    for (const link of links) {
      if (!isLookedAt(link)) continue;
      let id = numbers.get(link);
      if (id === undefined) numbers.set(link, (id = urls.push(link) - 1));
      ids.add(id);
    }
    nodes.push({ isArticle: article !== undefined, links: Int32Array.from(ids) });
  }
  return nodes;
}
