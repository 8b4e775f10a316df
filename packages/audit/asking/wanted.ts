import { TO_ITSELF, hostKeyOfRow, isPage, urlOf, rulesNow, type CrawlContext } from '../../core/index.js';
import { createRecordSorter } from '../../scan/index.js';
import { createLinkKeys } from '../collect/link-keys.js';
import { RECORD, packJson, packRecord, readJson, readRecord, type AskedNote } from '../collect/records.js';
import { leadsToPage } from '../facts/kinds.js';
import { FACT_FIELDS, factsOfRow } from '../facts/row-facts.js';
import { saysNotFound } from '../not-found.js';
import { VERDICT, verdictOf } from '../verdict.js';

const DAY = 86_400_000;
/** Milliseconds for which an answer is valid: `ok` for a good answer, `failing` for a failure that may be temporary, `other` for the rest. */
const HOLDS = { ok: 7 * DAY, other: DAY, failing: 5 * 60_000 };
/** Minimum milliseconds between a failure and the next request for the same page. */
const AGAIN = 60_000;
/** A page with fewer words may be a soft 404. */
const FEW_WORDS = 150;
/** Maximum number of folders to try with a made-up name, in one origin and in total. */
const MOST_FOLDERS = { host: 30, all: 2_000 };

/** The input for requests of an audit. */
export interface WantedInput {
  readonly folder: string;
  readonly memory: number;
  /** Whether to request URLs of other sites too. */
  readonly external: boolean;
  readonly signal?: AbortSignal;
}

/** A URL to request. */
export interface Wanted {
  readonly key: string;
  readonly url: string;
  readonly isInternal: boolean;
  /** The earlier answers for this URL. */
  readonly before: AskedNote | undefined;
  /** The earliest time of the request, in ms since the epoch. */
  readonly notBefore: number;
}

const FIELDS = [
  'status',
  'fetchedAt',
  'protocolStatus',
  'redirectTarget',
  'outlinks',
  'title',
  'retries',
  'distance',
  ...FACT_FIELDS,
] as const;

/**
 * Returns the URLs that pages name and the crawl has not requested: parts of pages, links that are not followed, canonicals, and versions
 * in other languages; also pages that failed once. They are in key order, so that the URLs of a host come together.
 * @returns these URLs, and the folders to try with a made-up name
 */
export async function wantedOf(
  crawl: CrawlContext,
  { folder, memory, external, signal }: WantedInput,
): Promise<{ readonly wanted: AsyncGenerator<Wanted>; readonly folders: ReadonlySet<string> }> {
  const sorter = createRecordSorter({ folder, memory });
  const keyOf = createLinkKeys(await rulesNow(crawl));
  const folders = createFolders();
  let host = { key: '', isOwn: false };
  const endHost = async (): Promise<void> => {
    if (host.isOwn) await sorter.add(packRecord(`${host.key}:`, RECORD.host, Buffer.alloc(0)));
  };
  for await (const row of crawl.tables.pages.scan({ fields: FIELDS })) {
    signal?.throwIfAborted();
    const { key, status, protocolStatus, parseStatus, fetchedAt = 0, retries = 0 } = row;
    if (!key.startsWith(`${host.key}:`) || host.key === '') {
      await endHost();
      host = { key: hostKeyOfRow(key), isOwn: false };
    }
    const verdict = verdictOf(protocolStatus);
    host.isOwn ||= row.distance === 0 || (isPage(status) && verdict === 'ok');
    const note = Buffer.alloc(10);
    // A page that failed in two crawls counts as broken.
    note[0] = VERDICT[verdict === 'failing' && retries > 1 ? 'broken' : verdict];
    // The table does not know where a redirect to another site leads.
    const leadsOut =
      verdict === 'redirect' && row.redirectTarget === undefined && protocolStatus?.message !== TO_ITSELF;
    note[1] = protocolStatus === undefined || (external && leadsOut) ? 0 : 1;
    note.writeDoubleBE(fetchedAt, 2);
    await sorter.add(packRecord(key, RECORD.row, note));
    const facts = isPage(status) && verdict === 'ok' ? await factsOfRow(crawl, row) : undefined;
    if (!facts) continue;
    if (parseStatus?.noindex || facts.words < FEW_WORDS || saysNotFound(row.title ?? '', facts.h1))
      folders.add(urlOf(key));
    const ask = async (url: string, isPart: boolean): Promise<void> => {
      const target = keyOf(url);
      if (target !== undefined) await sorter.add(packRecord(target, RECORD.link, Buffer.of(isPart ? 1 : 0)));
    };
    for (const { to, kind } of facts.links) {
      const url = typeof to === 'number' ? row.outlinks?.[to]?.url : to;
      if (url !== undefined) await ask(url, !leadsToPage(kind));
    }
    for (const { url } of [...facts.canonicals, ...facts.alternates]) await ask(url, false);
  }
  await endHost();
  for await (const [key, note] of crawl.tables.audits.notes('response')) {
    await sorter.add(packJson(key, RECORD.asked, note as AskedNote));
  }
  return { wanted: join(sorter, external, crawl.clock()), folders: folders.all };
}

async function* join(
  sorter: ReturnType<typeof createRecordSorter>,
  external: boolean,
  now: number,
): AsyncGenerator<Wanted> {
  let host = '';
  let draft: Draft | undefined;
  for await (const record of sorter.sorted()) {
    const { keyEnd, type } = readRecord(record);
    const key = record.toString('latin1', 0, keyEnd);
    if (draft && draft.key !== key) {
      const wanted = wantedNow(draft, external, now);
      if (wanted) yield wanted;
      draft = undefined;
    }
    if (type === RECORD.host) {
      host = key;
      continue;
    }
    draft ??= {
      key,
      isInternal: host !== '' && key.startsWith(host),
      verdict: undefined,
      fetchedAt: 0,
      asked: undefined,
      isNamed: false,
    };
    if (type === RECORD.row) {
      if (record[keyEnd + 3] === 1) draft.verdict = record[keyEnd + 2];
      draft.fetchedAt = record.readDoubleBE(keyEnd + 4);
    } else if (type === RECORD.asked) draft.asked = readJson<AskedNote>(record, keyEnd);
    else draft.isNamed = true;
  }
  const wanted = draft && wantedNow(draft, external, now);
  if (wanted) yield wanted;
}

interface Draft {
  readonly key: string;
  readonly isInternal: boolean;
  /** The verdict of the row. Undefined: the URL was never requested, or redirects to another site. */
  verdict: number | undefined;
  fetchedAt: number;
  asked: AskedNote | undefined;
  isNamed: boolean;
}

function wantedNow(
  { key, isInternal, verdict, fetchedAt, asked, isNamed }: Draft,
  external: boolean,
  now: number,
): Wanted | undefined {
  if (!isNamed || (!isInternal && !external)) return undefined;
  const failsOnce = verdict === VERDICT.failing;
  if (verdict !== undefined && !failsOnce) return undefined;
  // An answer is not valid if the crawl has requested the page again since.
  if (asked && asked.at >= fetchedAt && isRecent(asked.at, now, holds(asked))) return undefined;
  const notBefore = failsOnce && isRecent(fetchedAt, now, AGAIN) ? fetchedAt + AGAIN : 0;
  return { key, url: urlOf(key), isInternal, before: asked, notBefore };
}

/** Whether a time is less than this number of milliseconds ago. A later time than now is not: the clock that wrote it was ahead. */
export function isRecent(at: number, now: number, millis: number): boolean {
  return at <= now && now - at < millis;
}

function holds(asked: AskedNote): number {
  const verdict = verdictOf(asked);
  if (verdict === 'ok' || verdict === 'redirect') return HOLDS.ok;
  return verdict === 'failing' ? HOLDS.failing : HOLDS.other;
}

/** Returns the folder of a URL. One made-up name is requested in each folder. */
export function folderOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Collects folders of possible soft 404 pages. */
function createFolders() {
  const all = new Set<string>();
  const byHost = new Map<string, number>();
  return {
    all,
    add(url: string): void {
      const folder = folderOf(url);
      const { origin, pathname } = new URL(url);
      const count = byHost.get(origin) ?? 0;
      if (pathname === '/' || all.has(folder) || count >= MOST_FOLDERS.host || all.size >= MOST_FOLDERS.all) return;
      byHost.set(origin, count + 1);
      all.add(folder);
    },
  };
}
