import { mix } from './made-page.js';

/**
 * `blog`: dated permalinks, archives above them, categories, tags, links to reply to a comment (WordPress). `portal`: sections,
 * numbered articles, an archive of its own (the systems of large papers). `classic`: scripts with parameters (home-made PHP).
 */
export type NewsStyle = 'blog' | 'portal' | 'classic';

/** One site of the made-up news web. */
export type NewsSite = ReturnType<typeof newsSites>[number];

const SITES = 40;
const [ARTICLES, THREADS] = [1_200, 720];
const STYLES: readonly NewsStyle[] = ['blog', 'portal', 'blog', 'portal', 'classic'];
const FACETS = [
  ['section', 6],
  ['year', 6],
  ['author', 8],
  ['sort', 3],
] as const;

/**
 * The sites of a news web.
 * @param scale 1: 40 sites with some 500,000 pages together; less: fewer sites, then smaller ones
 * @param seed another seed gives another web of the same kind
 */
export function newsSites(scale: number, seed = 1) {
  const count = Math.max(5, Math.round(SITES * scale));
  const size = Math.min(1, (SITES * scale) / count);
  const numbers = Array.from({ length: count }, (_, i) => i);
  const ranksOf = (feature: number, of = numbers): ReadonlyMap<number, number> =>
    new Map(
      [...of].sort((a, b) => mix(seed, feature, a) - mix(seed, feature, b)).map((number, rank) => [number, rank]),
    );
  const share = (feature: number, part: number, of = numbers): ReadonlySet<number> => {
    const some = Math.max(1, Math.round(of.length * part));
    return new Set([...ranksOf(feature, of)].filter(([, rank]) => rank < some).map(([number]) => number));
  };
  /** A few sites are large and many small: the size depends on the root of the rank. */
  const sizes = (feature: number, mean: number, of = numbers): ReadonlyMap<number, number> => {
    const weights = [...ranksOf(feature, of)].map(([number, rank]) => [number, 1 / Math.sqrt(rank + 1)] as const);
    const sum = weights.reduce((total, [, weight]) => total + weight, 0);
    return new Map(weights.map(([number, weight]) => [number, Math.round((mean * size * weight * of.length) / sum)]));
  };
  const styleOf = (number: number): NewsStyle => STYLES[number % STYLES.length]!;
  const forums = [...share(1, 0.45)];
  const sessions = share(2, 1 / 3, forums);
  const others = numbers.filter((number) => styleOf(number) !== 'blog');
  const searches = share(3, 0.4, others);
  const visits = share(4, 0.125, others);
  const [related, neighbours, outs] = [share(5, 0.75), share(6, 0.3), share(8, 0.5)];
  const tools = [
    ['print', share(7, 0.6)],
    ['mail', share(13, 0.4)],
    ['login', share(14, 0.3)],
  ] as const;
  const [calendars, twins, shares] = [share(9, 0.35), share(10, 0.1), share(15, 0.5)];
  const articles = sizes(11, ARTICLES);
  const threads = sizes(12, THREADS, forums);

  return numbers.map((number) => {
    // Under a known suffix, because under `.example` each host would be its own domain. These hosts are never requested.
    const domain = `news${number}.com`;
    const own = mix(seed, number);
    const style = styleOf(number);
    const ofThis = Math.max(30, articles.get(number)!);
    return {
      number,
      /** All random features of the site are computed from it. */
      seed: own,
      style,
      domain,
      host: `www.${domain}`,
      /** Its other host, with the same pages. */
      twin: twins.has(number) ? domain : undefined,
      forumHost: style === 'portal' ? `forum.${domain}` : `www.${domain}`,
      articles: ofThis,
      perDay: 2 + (own % 6),
      hasRelated: related.has(number),
      /** Articles link to the one before and after. Otherwise some articles are listed only in the archive. */
      hasNeighbours: neighbours.has(number),
      /** Pages that every article has: to print it, to mail it to a friend, to log in and come back. */
      tools: new Set(tools.flatMap(([tool, has]) => (has.has(number) ? [tool] : []))),
      /** Articles have links that share them on social networks, by a redirect. */
      hasShare: shares.has(number),
      hasOut: outs.has(number),
      hasCalendar: calendars.has(number),
      /** Articles add their own parameter `visit` to all links. */
      hasVisits: visits.has(number),
      tags: Math.round(ofThis * 0.6),
      threads: threads.has(number) ? Math.max(30, threads.get(number)!) : 0,
      /** Forum pages add their own parameter `s` to all links. */
      hasForumSessions: sessions.has(number),
      /** Filters of the search: names and numbers of values. Empty: there is no such search. */
      facets: searches.has(number)
        ? FACETS.map(([name, values]) => [name, Math.max(1, Math.round(values * Math.cbrt(size)))] as const)
        : [],
    };
  });
}
