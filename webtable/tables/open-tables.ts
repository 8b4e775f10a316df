import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { ContentStore } from '../content/content-store.js';
import { createRowContent } from '../content/row-content.js';
import { DEFAULT_SLOTS, slotsOf, type Slots } from '../keys/partition.js';
import {
  checkVersion,
  migrateRows,
  versionIn,
  type MigratedVersions,
  type MigrationProgress,
} from '../migrations/migrations.js';
import { text } from '../pages/codec.js';
import { createPages, type Pages } from '../pages/pages.js';
import { INDEX_COLUMNS, SCHEMA_VERSION } from '../schema.js';
import type { Store } from '../store.js';
import { createTimeSlice, createLocks, type Exclusive, type TimeSlice } from '../../packages/util/index.js';
import { ownedStore } from './owned-store.js';
import { YieldingStore } from '../stores/yielding-store.js';
import { createAudits, type Audits } from './audits.js';
import { createBatches, type Batches } from '../batches/batches.js';
import { createChangeLog, type ChangeLog } from '../changes/change-log.js';
import { createCanonicals, type Canonicals } from './canonicals.js';
import { createChangeRows, type ChangeRows } from './change-rows.js';
import { writeFences } from './fences.js';
import { createFrontier, type Frontier } from '../frontier/frontier.js';
import { createHosts, type Hosts } from './hosts.js';
import { createLeases, createSoleLeases, type Leases } from '../leases/leases.js';
import { createWorkers, type Workers } from '../leases/workers.js';
import { createInboxes, type Inboxes } from './inboxes.js';
import { createProposals, type Proposals } from './proposals.js';
import { createPrefixes, type Prefixes } from './prefixes.js';
import { createRules, type Rules } from './rules.js';
import { createRuns, type Runs } from './runs.js';
import { createSiteTemplates, type SiteTemplates } from './site-templates.js';
import { createWatches, type Watches } from './watches.js';

/** The tables of a crawl, with typed methods. Only this folder knows the store beneath them. */
export interface Tables extends ChangeRows {
  /** The `webpage` table: a row for every known URL. */
  readonly pages: Pages;
  /** The bodies of the pages. */
  readonly content: ContentStore;
  /** Which rows may be selected, and when. */
  readonly frontier: Frontier;
  readonly batches: Batches;
  /** What workers want to add to rows in the slots of others. Without other workers, no slot has an inbox. */
  readonly inboxes: Inboxes;
  /** The data on hosts: robots.txt, back-off and seeds. */
  readonly hosts: Hosts;
  /** The pages that name another page as canonical. Only pages that a search index has read are included. */
  readonly canonicals: Canonicals;
  /** The changes that updatedb found, in order of time. */
  readonly changes: ChangeLog;
  /** The targets to which changes are sent. */
  readonly watches: Watches;
  /** State of the jobs that ran on the table. */
  readonly runs: Runs;
  /** Data that only audits use. */
  readonly audits: Audits;
  /** The rules on URLs, which can change while a crawl runs. */
  readonly rules: Rules;
  /** The rules that were last proposed. */
  readonly proposals: Proposals;
  /** Counts of the rows by prefix, from the last count. */
  readonly prefixes: Prefixes;
  /** The templates of sites, from which the main content of pages is found. */
  readonly siteTemplates: SiteTemplates;
  /** Which worker works on which slots. */
  readonly leases: Leases;
  /** The reports of the workers of the table. undefined: only one process at a time can open the table, so there are no workers. */
  readonly workers: Workers | undefined;
  /** The slots into which the keys of the indexes are spread. */
  readonly slots: Slots;
  /** A unique name of this `Tables` object. */
  readonly owner: string;
  /**
   * Returns a unique name of the table. An older table without a name gets one at the first call.
   * @throws CrawlError the errors of a write to the store
   */
  id(): Promise<string>;
  /** The folder on this machine that holds the table; undefined if there is none. */
  readonly directory: string | undefined;
  /** As {@link Store.rowsAtATime}. */
  readonly rowsAtATime: number;
  /** Makes long computations yield, so that they do not block the process. Needed for computations that do not call the tables. */
  readonly timeSlice: TimeSlice;
  /** The store of the tables, for callers that need the store itself. */
  readonly store: Store;
  /**
   * Runs `task` after all earlier tasks of this name on this store in this process have ended.
   * @throws CrawlError TABLE_LOCKED as {@link Store.exclusive}
   */
  exclusive: Exclusive;
  /** As {@link Store.inOwner}; on a store without it, runs `here`. */
  inOwner: NonNullable<Store['inOwner']>;
  /**
   * Brings tables that were opened with `migrates` to the present schema version. The call may be killed at any moment; the next call
   * continues. No other code may use the tables before the call has ended.
   * @throws CrawlError the errors of a write to the store
   */
  migrate(progress: MigrationProgress): Promise<MigratedVersions>;
  /** Closes the store. */
  close(): Promise<void>;
}

const ROWS_AT_A_TIME = 100;

/** The locks of each store that has no locks of its own. Two `Tables` objects on the same store share these locks. */
const LOCKS = new WeakMap<Store, Exclusive>();

/**
 * Opens the tables on a store. A new store gets the schema version.
 * @param options.slots number of slots for the indexes of a new table; an existing table keeps its number
 * @param options.migrates only for the job `migrate`: also opens a table of an earlier version
 * @throws CrawlError TABLE_VERSION if another version wrote the table; BAD_SETTING
 */
export async function openTables(
  given: Store,
  { slots: wanted = DEFAULT_SLOTS, migrates = false } = {},
): Promise<Tables> {
  const timeSlice = createTimeSlice();
  const yielding = new YieldingStore(given, timeSlice);
  const found = await slotsOfTable(yielding, migrates);
  const slots = slotsOf(found ?? wanted);
  const exclusive = given.exclusive?.bind(given) ?? LOCKS.get(given) ?? createLocks();
  LOCKS.set(given, exclusive);
  const owner = randomUUID();
  const hasWorkers = given.compareAndSet !== undefined;
  const leases = hasWorkers ? createLeases(yielding, owner) : createSoleLeases(yielding, owner, slots.all);
  const store = hasWorkers ? ownedStore(yielding, slots, leases) : yielding;
  const ownContent = createRowContent(store);
  const content = (): ContentStore => given.content ?? ownContent;
  const pages = createPages(store, content);
  const serialised = <T>(step: () => Promise<T>): Promise<T> => exclusive('rows', step);
  const frontier = createFrontier(store, slots, leases, serialised);
  const firstStamp = (rowKey: string): number => leases.firstStamp(slots.ofRow(rowKey));
  const batches = createBatches(store, slots, exclusive);
  if (found === undefined) {
    await writeFences(store, 'frontier', frontier.fences());
    await writeFences(store, 'batch', batches.fences());
    await writeSchema(store, slots.all.length);
  }
  return {
    pages,
    get content() {
      return content();
    },
    frontier,
    batches,
    inboxes: createInboxes(store, slots, hasWorkers ? slots.all : []),
    hosts: createHosts(store),
    canonicals: createCanonicals(store),
    changes: createChangeLog(store, exclusive),
    watches: createWatches(store, exclusive),
    runs: createRuns(store, exclusive),
    audits: createAudits(store, exclusive),
    rules: createRules(store, exclusive),
    proposals: createProposals(store),
    prefixes: createPrefixes(store),
    siteTemplates: createSiteTemplates(store, exclusive),
    ...createChangeRows(pages, frontier, batches, exclusive, firstStamp),
    leases,
    workers: hasWorkers ? createWorkers(store) : undefined,
    slots,
    owner,
    id: () => idOfTable(store),
    directory: given.directory === undefined ? undefined : resolve(given.directory),
    rowsAtATime: given.rowsAtATime ?? ROWS_AT_A_TIME,
    timeSlice,
    store: given,
    exclusive,
    inOwner: given.inOwner?.bind(given) ?? ((_verb, _args, here) => here()),
    migrate: (progress) => migrateRows(store, pages, progress),
    close() {
      leases.stop();
      return store.close();
    },
  };
}

/** The number of slots of a table; undefined for a new table. @throws CrawlError TABLE_VERSION */
async function slotsOfTable(store: Store, migrates: boolean): Promise<number | undefined> {
  const [row] = await store.get('meta', ['schema'], [INDEX_COLUMNS.schemaVersion, INDEX_COLUMNS.slots]);
  const version = row?.cells.get(INDEX_COLUMNS.schemaVersion);
  const slots = row?.cells.get(INDEX_COLUMNS.slots);
  if (version === undefined) return undefined;
  checkVersion(versionIn(version), migrates);
  return Number(slots && text.decode(slots));
}

function writeSchema(store: Store, slots: number): Promise<void> {
  const put = new Map([
    [INDEX_COLUMNS.schemaVersion, text.encode(String(SCHEMA_VERSION))] as const,
    [INDEX_COLUMNS.slots, text.encode(String(slots))] as const,
    [INDEX_COLUMNS.tableId, text.encode(randomUUID())] as const,
  ]);
  return store.write('meta', [{ key: 'schema', put }]);
}

/** Gives the table an id. If two processes do so at the same time, the id of the last write stays. */
async function idOfTable(store: Store): Promise<string> {
  const [row] = await store.get('meta', ['schema'], [INDEX_COLUMNS.tableId]);
  const found = row?.cells.get(INDEX_COLUMNS.tableId);
  if (found) return text.decode(found);
  const id = randomUUID();
  await store.write('meta', [{ key: 'schema', put: new Map([[INDEX_COLUMNS.tableId, text.encode(id)]]) }]);
  return id;
}
