import { isChallenge, isVersionLink, linksInHeader, type PageHead, type Resolve } from '../../core/index.js';
import { MARKS, type PageFacts } from './facts.js';
import { MAX_ANCHOR, MAX_TEXT, MAX_URL, short } from './short.js';
import type { FactsPage } from './page-facts.js';

/** Maximum number of canonicals that are stored, and of versions in other languages. */
const MAX_NAMED = 200;
const UPGRADES = /(?:^|[;,])\s*upgrade-insecure-requests\s*(?:[;,]|$)/i;

type HeadFacts = Pick<PageFacts, 'description' | 'canonicals' | 'alternates' | 'marks' | 'badJsonLd'>;

export function headFacts({ headers, url, truncated }: FactsPage, head: PageHead, resolve: Resolve): HeadFacts {
  const canonicals: PageFacts['canonicals'][number][] = [];
  const alternates: PageFacts['alternates'][number][] = [];
  const isCut = (target: string, list: readonly unknown[]): boolean =>
    target.length > MAX_URL || list.length >= MAX_NAMED;
  let marks =
    (truncated ? MARKS.truncated : 0) |
    (isChallenge(headers) ? MARKS.wall : 0) |
    (head.runsScripts ? MARKS.scripts : 0);
  for (const link of [...head.links, ...linksInHeader(headers.link, url)]) {
    const { place } = link;
    const target = resolve(link.href);
    if (target === undefined) continue;
    if (link.relations.includes('canonical') && !isCut(target, canonicals)) canonicals.push({ url: target, place });
    if (!isVersionLink(link)) continue;
    if (isCut(target, alternates)) marks |= MARKS.cutAlternates;
    else alternates.push({ tag: short(link.language, MAX_ANCHOR), url: target, place });
  }
  const description = short(head.metadata['description'] ?? '', MAX_TEXT);
  return { description, canonicals, alternates, marks, badJsonLd: head.jsonLd.invalid };
}

/** Whether browsers load by https what a page names by http. */
export function upgradesInsecure({ headers }: FactsPage, { metas }: PageHead): boolean {
  const policies = metas.flatMap(({ by, name, content }) =>
    by === 'http-equiv' && name === 'content-security-policy' ? [content] : [],
  );
  return [headers['content-security-policy'] ?? '', ...policies].some((policy) => UPGRADES.test(policy));
}
