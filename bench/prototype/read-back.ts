import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { STATUS_CODES, type Status } from '../../webtable/schema.js';
import { rowKeyOf } from '../../webtable/index.js';
import type { PagePlace } from './group.js';
import { readGroup } from './group.js';
import { journalRounds, readJournal } from './journal.js';
import { readPage, segmentPath, type StoredPage } from './segment.js';
import { openTable } from './table-thread.js';
import { lastRound, readRun } from './table.js';

/** The compared fields of a row. */
export interface StoredRow {
  readonly url: string;
  readonly status: Status;
  readonly title: string;
  readonly outlinks: number;
  readonly inlinks: number;
}

/** A page that is stored according to a journal. */
export interface JournalledPage {
  readonly url: string;
  readonly place: PagePlace;
  readonly digest: string;
}

const STATUS_NAMES = new Map<number, Status>(
  Object.entries(STATUS_CODES).map(([name, code]) => [code, name as Status]),
);

/** The pages that are stored according to the journals of a folder, after a kill. */
export function journalledPages(folder: string): JournalledPage[] {
  const pages: JournalledPage[] = [];
  for (const round of journalRounds(folder)) {
    for (const group of readJournal(folder, round)) {
      let named: readonly string[] = [];
      readGroup(group, {
        urls: (urls) => (named = urls),
        page: (url, { place, digest }) => {
          if (place && digest) pages.push({ url: named[url]!, place, digest: Buffer.from(digest).toString('hex') });
        },
        link: () => undefined,
      });
    }
  }
  return pages;
}

/** Reads a page from its segment. @throws Error if it is incomplete, or has another URL or body */
export function checkedPage(folder: string, { url, place, digest }: JournalledPage): StoredPage {
  const file = openSync(segmentPath(folder, place.segment), 'r');
  try {
    const page = readPage(file, place);
    const found = createHash('sha1').update(page.body).digest('hex');
    if (page.url !== url || found !== digest) throw new Error(`expected the body of ${url}, found another`);
    return page;
  } finally {
    closeSync(file);
  }
}

/**
 * All rows of a folder by URL, after a replay of its journals. Each is checked against segments and runs of inlinks.
 * @throws Error if they differ
 */
export async function storedRows(folder: string): Promise<Map<string, StoredRow>> {
  const { database, rows } = await openTable(folder);
  await database.close();
  const inlinks = new Map<string, number>();
  for (let round = 0; round <= lastRound(folder); round++) {
    for (const { target } of readRun(folder, round)) inlinks.set(target, (inlinks.get(target) ?? 0) + 1);
  }
  const stored = new Map<string, StoredRow>();
  for (const { url, status, title, outlinks, place, digest, inlinks: counted } of rows.all) {
    const found = inlinks.get(rowKeyOf(url)) ?? 0;
    if (found !== counted) throw new Error(`expected ${counted} inlinks of ${url}, found ${found}`);
    if (place && digest) {
      const page = checkedPage(folder, { url, place, digest: Buffer.from(digest).toString('hex') });
      if (page.links.length !== outlinks) {
        throw new Error(`expected ${outlinks} links of ${url}, found ${page.links.length}`);
      }
    }
    stored.set(url, { url, status: STATUS_NAMES.get(status)!, title, outlinks, inlinks: counted });
  }
  return stored;
}
