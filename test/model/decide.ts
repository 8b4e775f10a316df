/**
 * The functions that decide: from what was read to what is written, without a store. The crawl is reduced to what the order of writes can
 * spoil: due times, batches, the links of a page, and the sums and distances that links carry.
 */

/** Slots of the model. A host belongs to one slot. */
export const SLOTS = 3;
/** How often each page is fetched. */
export const FETCHES = 6;
/** The due time of a page that is never fetched again. */
export const NEVER = 999_999;
/** Timestamps have room for this many writes of an epoch. */
const WRITES_OF_EPOCH = 2 ** 24;

/** The hot record of a page, one cell. */
export interface Page {
  readonly dueAt: number;
  readonly fetches: number;
  readonly cash: number;
  readonly distance: number;
  readonly rank: number;
  readonly isSeed: boolean;
  /** The batch that holds the row: the mark of generate. */
  readonly heldBy?: string | undefined;
  /** The batch whose fetch stored an outcome: the mark of fetch. */
  readonly fetchedBy?: string | undefined;
  /** What the page distributes over its links, fixed when it was selected. */
  readonly share?: Share | undefined;
  readonly outlinks: readonly string[];
  /** Each link that was added: its source, the number of the fetch of the source, and the distance. */
  readonly inlinks: readonly string[];
  /** The chunks of links that were added, of batches that are not closed: `linkedUpTo`. */
  readonly linked: readonly string[];
}

export interface Share {
  readonly cash: number;
  readonly distance: number;
  readonly fetch: number;
}

export interface Link {
  /** The page and the number of its fetch. */
  readonly source: string;
  readonly score: number;
  readonly distance: number;
}

/** The links of one chunk of a batch to one row. A seed and the target of a redirect are only a row to be created. */
export interface LinksOfChunk {
  readonly chunk: string;
  readonly links: readonly Link[] | 'seed' | 'redirect';
}

/** The header of a batch. */
export interface Batch {
  readonly state: 'generating' | 'open' | 'updating' | 'updated' | 'closed';
  /** The slots whose rows are not released yet. */
  readonly slots: readonly number[];
  /** The slots whose links are all added, or in the inboxes of their targets. */
  readonly linked: readonly number[];
  /** How many pages are a chunk, in every run of updatedb. */
  readonly pagesOfChunk: number;
}

export interface Lease {
  /** The id of a process; empty if the slot is free. */
  readonly holder: string;
  readonly name: string;
  readonly epoch: number;
  /** When the last request was sent; `running` while the holder may send requests. */
  readonly askedAt: number | 'running';
}

/** Where a row is found: in the frontier, or in the index of its batch. */
export interface Place {
  readonly table: 'frontier' | 'index';
  readonly key: string;
}

/** The timestamp of a write: a later epoch is newer than every write of an earlier one. */
export const timestampOf = (epoch: number, counter: number): number => epoch * WRITES_OF_EPOCH + counter;
export const epochOf = (timestamp: number): number => Math.floor(timestamp / WRITES_OF_EPOCH);

/** `h2/p1` is a page of host 2. */
export const hostOf = (row: string): string => row.slice(0, row.indexOf('/'));
export const slotOf = (row: string): number => Number(hostOf(row).slice(1)) % SLOTS;
export const batchOf = (chunk: string): string => chunk.slice(0, chunk.indexOf('/'));
export const rowIn = (key: string): string => key.slice(key.lastIndexOf('|') + 1);
export const timeIn = (frontierKey: string): number => Number(frontierKey.split('|')[1]);

export function placeOf(row: string, page: Page): Place {
  const { heldBy, dueAt } = page;
  if (heldBy !== undefined) return { table: 'index', key: `${slotOf(row)}|${heldBy}|${row}` };
  return { table: 'frontier', key: `${slotOf(row)}|${String(dueAt).padStart(6, '0')}|${row}` };
}

export const isSamePlace = (a: Place | undefined, b: Place | undefined): boolean =>
  a?.table === b?.table && a?.key === b?.key;

export const newPage = (now: number): Page => ({
  dueAt: now,
  fetches: 0,
  cash: 0,
  distance: Infinity,
  rank: 0,
  isSeed: false,
  outlinks: [],
  inlinks: [],
  linked: [],
});

/**
 * Adds links to a page, which they create if it does not exist. Links of the own slots and those of an inbox are added by this function. A
 * chunk that the page names was added before. A chunk of a closed batch was folded before the batch was closed.
 * @returns undefined if there is nothing to add
 */
export function foldLinks(
  page: Page | undefined,
  entries: readonly LinksOfChunk[],
  isClosed: (batch: string) => boolean,
  now: number,
): Page | undefined {
  const { fetches, ...rest } = page ?? newPage(now);
  let { cash, distance, dueAt, isSeed, inlinks, linked } = rest;
  let isChanged = page === undefined && entries.some(({ links }) => links === 'redirect');
  for (const { chunk, links } of entries) {
    if (links === 'redirect') continue;
    if (links === 'seed') {
      if (isSeed) continue;
      isChanged = isSeed = true;
      [cash, distance] = [cash + 1, 0];
      continue;
    }
    if (linked.includes(chunk) || isClosed(batchOf(chunk))) continue;
    isChanged = true;
    linked = [...linked, chunk];
    for (const link of links) {
      cash += link.score;
      distance = Math.min(distance, link.distance);
      inlinks = [...inlinks, `${link.source}:${link.distance}`];
    }
  }
  if (!isChanged) return undefined;
  // A link may make a page due sooner, as a change hint of a sitemap does.
  if (fetches < FETCHES) dueAt = Math.min(dueAt, now + 3);
  linked = linked.filter((chunk) => !isClosed(batchOf(chunk)));
  return { ...rest, cash, distance, dueAt, isSeed, inlinks, linked, fetches };
}

/** Marks a page as held by a batch. What it distributes is fixed here. */
export function select(page: Page, batch: string): Page {
  const { cash, distance, fetches } = withoutBatch(page);
  return { ...page, heldBy: batch, fetchedBy: undefined, cash: 0, share: { cash, distance, fetch: fetches + 1 } };
}

/** Gives a page back, as if no batch had selected it. */
export function withoutBatch(page: Page): Page {
  return {
    ...page,
    heldBy: undefined,
    fetchedBy: undefined,
    cash: page.cash + (page.share?.cash ?? 0),
    share: undefined,
  };
}

export const storeOutcome = (page: Page, batch: string, outlinks: readonly string[]): Page => ({
  ...page,
  fetchedBy: batch,
  outlinks,
});

/** Plans the next fetch of a page of a batch, and gives the page back. Its links are all added. */
export function release(page: Page, batch: string, now: number): Page {
  if (page.fetchedBy !== batch) return withoutBatch(page);
  const fetches = page.share!.fetch;
  const dueAt = fetches < FETCHES ? now + 40 : NEVER;
  return { ...page, heldBy: undefined, fetchedBy: undefined, share: undefined, fetches, dueAt };
}

/** The links of a page that its batch has fetched. */
export function linksOf(row: string, page: Page, batch: string): Map<string, Link> {
  const { heldBy, fetchedBy, share, outlinks } = page;
  if (heldBy !== batch || fetchedBy !== batch || !share) return new Map();
  const source = `${row}#${share.fetch}`;
  const link = { source, score: share.cash / outlinks.length, distance: share.distance + 1 };
  return new Map(outlinks.map((target) => [target, link]));
}
