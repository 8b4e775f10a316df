import type { EntrySource, NewInboxEntry } from '../../../webtable/index.js';
import type { LinkHints } from '../parsing/link-hints.js';
import { chunkOfEntry, entrySourceOf, type LinkChunk } from './link-chunks.js';
import type { LinkEvent } from './link-slice.js';

/** The links of a chunk to a row, as an inbox stores them. */
export interface SentLinks {
  readonly kind: 'links';
  readonly links: readonly SentLink[];
}

/** A link in short form. The distance is null if it is unknown. */
type SentLink = readonly [
  source: string,
  anchor: string,
  score: number,
  distance: number | null,
  redirectDepth: number,
  said?: { readonly hints?: LinkHints | undefined; readonly sitemap?: true | undefined },
];

export function entriesOf(rowKey: string, links: readonly LinkEvent[]): NewInboxEntry[] {
  const ofChunk = new Map<LinkChunk, SentLink[]>();
  for (const link of links) {
    const { chunk } = link.from;
    const sent = ofChunk.get(chunk);
    if (sent) sent.push(sentLink(link));
    else ofChunk.set(chunk, [sentLink(link)]);
  }
  return Array.from(ofChunk, ([chunk, sent]) => {
    const value: SentLinks = { kind: 'links', links: sent };
    return { rowKey, source: entrySourceOf(chunk), value };
  });
}

function sentLink({ from, anchor, score, hints, sitemap }: LinkEvent): SentLink {
  const { source, distance, redirectDepth } = from;
  const link = [source, anchor, score, Number.isFinite(distance) ? distance : null, redirectDepth] as const;
  return hints || sitemap ? [...link, { hints, sitemap }] : link;
}

export function linksOfEntry(source: EntrySource, { links }: SentLinks): LinkEvent[] {
  const chunk = chunkOfEntry(source);
  return links.map(([page, anchor, score, distance, redirectDepth, said]) => ({
    from: { source: page, chunk, distance: distance ?? Infinity, redirectDepth },
    anchor,
    score,
    ...said,
  }));
}
