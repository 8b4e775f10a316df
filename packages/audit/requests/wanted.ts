import { join } from 'node:path';
import { rowKeyOf, type CrawlContext } from '../../core/index.js';
import { createKeyFile } from '../../scan/index.js';
import type { ResponseNote } from '../collect/records.js';
import { ROW, createRowTable, type RowTable } from '../collect/row-table.js';
import { scanForAudit, type Scanned } from '../collect/scan.js';
import { joinTargets } from '../collect/targets.js';
import { MIN_WORDS } from '../not-found.js';
import type { Site, Target } from '../rule.js';
import { verdictOf } from '../verdict.js';

const DAY = 86_400_000;
/** Milliseconds for which a response is valid: `ok` for a good one, `failing` for a failure that may be temporary, `other` for the rest. */
const HOLDS = { ok: 7 * DAY, other: DAY, failing: 5 * 60_000 };
/** Between a failure and the next request for the same page. */
const MIN_RETRY_MS = 60_000;
/** Maximum number of folders to try with a random name, in one origin and in total. */
const MAX_FOLDERS = { host: 30, all: 2_000 };

export interface WantedInput {
  readonly folder: string;
  readonly memory: number;
  readonly external: boolean;
  readonly keyOf: Site['keyOf'];
  readonly signal?: AbortSignal | undefined;
}

export interface Wanted {
  readonly key: string;
  readonly url: string;
  readonly isInternal: boolean;
  readonly before: ResponseNote | undefined;
  /** The earliest time of the request, in ms since the epoch. */
  readonly notBefore: number;
}

/**
 * Returns the URLs that pages name and the crawl has not requested: parts of pages, links that are not followed, canonicals, and versions
 * in other languages; also pages that failed once. They are in key order, so that the URLs of a host come together.
 * @returns these URLs, and the folders to try with a random name
 */
export async function wantedOf(
  crawl: CrawlContext,
  { folder, memory, external, keyOf, signal }: WantedInput,
): Promise<{ readonly wanted: AsyncGenerator<Wanted>; readonly folders: ReadonlySet<string> }> {
  const folders = createFolders();
  const rows = createRowTable();
  await using keys = await createKeyFile(join(folder, 'wanted-keys'));
  const scanned = await scanForAudit(crawl, {
    folder,
    memory,
    rows,
    keys,
    keyOf,
    signal,
    onPage({ url, row, facts, hasFacts, saysNotFound }) {
      const isThin = row.parseStatus?.noindex === true || facts.words < MIN_WORDS;
      if (hasFacts && (isThin || saysNotFound)) folders.add(url);
      return true;
    },
  });
  return { wanted: wantedTargets(scanned, rows, external, crawl.clock()), folders: folders.all };
}

async function* wantedTargets(
  scanned: Scanned,
  rows: RowTable,
  external: boolean,
  now: number,
): AsyncGenerator<Wanted> {
  for await (const joined of joinTargets(scanned, { rows })) {
    const wanted = joined.kind === 'target' ? wantedNow(joined.target, rows, external, now) : undefined;
    if (wanted) yield wanted;
  }
}

function wantedNow(target: Target, rows: RowTable, external: boolean, now: number): Wanted | undefined {
  const { url, row, isNamed, isInternal, ending, response } = target;
  if (!isNamed || (!isInternal && !external)) return undefined;
  const verdict = row === undefined ? 'unchecked' : rows.verdict(row);
  // A page that failed in two crawls counts as broken.
  const failsOnce = verdict === 'failing' && (ending?.tries ?? 0) < 2;
  const isUnknown = (verdict === 'unchecked' && !ending) || (external && row !== undefined && leadsOut(target, rows));
  if (!isUnknown && !failsOnce) return undefined;
  const fetchedAt = row === undefined ? 0 : rows.requestedAt(row);
  // A response is not valid if the crawl has requested the page again since.
  if (response && response.at >= fetchedAt && isRecent(response.at, now, holds(response))) return undefined;
  const notBefore = failsOnce && isRecent(fetchedAt, now, MIN_RETRY_MS) ? fetchedAt + MIN_RETRY_MS : 0;
  return { key: rowKeyOf(url), url, isInternal, before: response, notBefore };
}

/** Whether the table does not know where a redirect leads, because it leads to another site. */
function leadsOut({ row, ending }: Target, rows: RowTable): boolean {
  return rows.verdict(row!) === 'redirect' && ending?.to === undefined && !rows.is(row!, ROW.toItself);
}

/** Whether a time is less than this number of milliseconds ago. A later time than now is not: the clock that wrote it was ahead. */
export function isRecent(at: number, now: number, millis: number): boolean {
  return at <= now && now - at < millis;
}

function holds(response: ResponseNote): number {
  const verdict = verdictOf(response);
  if (verdict === 'ok' || verdict === 'redirect') return HOLDS.ok;
  return verdict === 'failing' ? HOLDS.failing : HOLDS.other;
}

/** Returns the folder of a URL. One random name is requested in each folder. */
export function folderOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function createFolders() {
  const all = new Set<string>();
  const byHost = new Map<string, number>();
  return {
    all,
    add(url: string): void {
      const folder = folderOf(url);
      const { origin, pathname } = new URL(url);
      const count = byHost.get(origin) ?? 0;
      if (pathname === '/' || all.has(folder) || count >= MAX_FOLDERS.host || all.size >= MAX_FOLDERS.all) return;
      byHost.set(origin, count + 1);
      all.add(folder);
    },
  };
}
