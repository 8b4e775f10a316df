import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { CrawlError } from '../../packages/errors/index.js';
import type { ContentStore } from '../content/content-store.js';
import { createRowContent } from '../content/row-content.js';
import { DEFAULT_SLOTS, slotsOf, type Slots } from '../keys/partition.js';
import { text } from '../pages/codec.js';
import { createPages, type Pages } from '../pages/pages.js';
import { INDEX_COLUMNS, SCHEMA_VERSION } from '../schema.js';
import type { Store } from '../store.js';
import { YieldingStore, createEventLoopTurns, type EventLoopTurns } from '../stores/event-loop-turns.js';
import { createLocks, type Exclusive } from '../stores/locks.js';
import { createBatches, type Batches } from '../batches/batches.js';
import { createCanonicals, type Canonicals } from './canonicals.js';
import { createChangeRows, type ChangeRows } from './change-rows.js';
import { writeFences } from './fences.js';
import { createFrontier, type Frontier } from './frontier.js';
import { createHosts, type Hosts } from './hosts.js';
import { createKeySplits, type KeySplits } from './key-splits.js';
import { createLeases, type Leases } from '../leases/leases.js';
import { createWorkers, type Workers } from '../leases/workers.js';
import { createProposals, type Proposals } from './proposals.js';
import { createPrefixes, type Prefixes } from './prefixes.js';
import { createRowTally, type RowTally } from './row-tally.js';
import { createRules, type Rules } from './rules.js';
import { createRuns, type Runs } from './runs.js';

/** The tables of a crawl, by typed methods. What is beneath them, a store, is nobody else's matter. */
export interface Tables extends ChangeRows {
  /** The `webpage` table: all that is known of every URL. */
  readonly pages: Pages;
  /** Where the bodies of the pages are. */
  readonly content: ContentStore;
  /** Which rows may be selected, and when. */
  readonly frontier: Frontier;
  /** The batches, and which rows each holds. */
  readonly batches: Batches;
  /** What is known of hosts. */
  readonly hosts: Hosts;
  /** The pages that name another one as canonical, as far as a search index has them. */
  readonly canonicals: Canonicals;
  /** What is known of the runs on the table. */
  readonly runs: Runs;
  /** What was said of URLs while the crawl goes on. */
  readonly rules: Rules;
  /** Rules that were proposed last. */
  readonly proposals: Proposals;
  /** What the rows were, by prefix, when they were last counted. */
  readonly prefixes: Prefixes;
  /** What has changed of rows by this opening, for the counts of rules. */
  readonly tally: RowTally;
  /** Who works on which slots. */
  readonly leases: Leases;
  /** What workers say of themselves. */
  readonly workers: Workers;
  /** Where the pages are split for shards that read every row. */
  readonly splits: KeySplits;
  /** The slots into which the keys of the indexes are spread. */
  readonly slots: Slots;
  /** A name for who opened the tables, unlike that of any other. */
  readonly owner: string;
  /**
   * A name of the table, unlike that of any other. One that was made without it is given one at the first call.
   * @throws CrawlError as a write of the store
   */
  id(): Promise<string>;
  /** The folder of this machine in which the table is; undefined where it is in none. */
  readonly directory: string | undefined;
  /** Whether others may work on the same tables at the same time, on this machine or elsewhere. */
  readonly isShared: boolean;
  /** For work that goes on for long without the tables. */
  readonly turns: EventLoopTurns;
  /** The store that the tables were opened on, for what concerns the store itself. */
  readonly store: Store;
  /**
   * Runs `task` when every earlier task of this name on this store has ended: within this process, and on a store that other
   * processes use too ({@link Store.exclusive}) in those as well.
   */
  exclusive: Exclusive;
  /** Closes the store. */
  close(): Promise<void>;
}

/** The locks of each store that has none of its own, so that two openings of one store share them. */
const LOCKS = new WeakMap<Store, Exclusive>();

/**
 * Opens the tables on a store. One that is new is given the schema version.
 * @param slots into how many slots the indexes of a new table are spread; a table that is there keeps its own
 * @throws CrawlError TABLE_VERSION when it was written by another version; BAD_SETTING
 */
export async function openTables(given: Store, { slots: wanted = DEFAULT_SLOTS } = {}): Promise<Tables> {
  const turns = createEventLoopTurns();
  const store = new YieldingStore(given, turns);
  const found = await slotsOfTable(store);
  const slots = slotsOf(found ?? wanted);
  const exclusive = given.exclusive?.bind(given) ?? LOCKS.get(given) ?? createLocks();
  LOCKS.set(given, exclusive);
  const ownContent = createRowContent(store);
  const content = (): ContentStore => given.content ?? ownContent;
  const pages = createPages(store, content);
  const frontier = createFrontier(store, slots, (step) => (store.writeUnchanged ? step() : exclusive('rows', step)));
  const tally = createRowTally();
  const owner = randomUUID();
  const leases = createLeases(store, owner);
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
    hosts: createHosts(store),
    canonicals: createCanonicals(store),
    runs: createRuns(store, exclusive),
    rules: createRules(store, exclusive),
    proposals: createProposals(store),
    prefixes: createPrefixes(store, exclusive),
    ...createChangeRows(store, pages, frontier, exclusive, tally),
    tally,
    leases,
    workers: createWorkers(store),
    splits: createKeySplits(store, exclusive),
    slots,
    owner,
    id: () => idOfTable(store),
    directory: given.directory === undefined ? undefined : resolve(given.directory),
    isShared: given.writeUnchanged !== undefined,
    turns,
    store: given,
    exclusive,
    close() {
      leases.stop();
      return store.close();
    },
  };
}

/** How many slots a table has; undefined for one that is new. @throws CrawlError TABLE_VERSION */
async function slotsOfTable(store: Store): Promise<number | undefined> {
  const [row] = await store.get('meta', ['schema'], [INDEX_COLUMNS.schemaVersion, INDEX_COLUMNS.slots]);
  const version = row?.cells.get(INDEX_COLUMNS.schemaVersion);
  const slots = row?.cells.get(INDEX_COLUMNS.slots);
  const found = version && text.decode(version);
  if (found === undefined) return undefined;
  if (found === String(SCHEMA_VERSION)) return Number(slots && text.decode(slots));
  throw new CrawlError('TABLE_VERSION', `expected a table of schema version ${SCHEMA_VERSION}, found ${found}`, {
    hint: 'use the version of webcrawl that wrote it, or crawl into a new table',
  });
}

function writeSchema(store: Store, slots: number): Promise<void> {
  const put = new Map([
    [INDEX_COLUMNS.schemaVersion, text.encode(String(SCHEMA_VERSION))] as const,
    [INDEX_COLUMNS.slots, text.encode(String(slots))] as const,
    [INDEX_COLUMNS.tableId, text.encode(randomUUID())] as const,
  ]);
  return store.write('meta', [{ key: 'schema', put }]);
}

/** Of two that give one at the same time to a table that has none, the last one's stays. */
async function idOfTable(store: Store): Promise<string> {
  const [row] = await store.get('meta', ['schema'], [INDEX_COLUMNS.tableId]);
  const found = row?.cells.get(INDEX_COLUMNS.tableId);
  if (found) return text.decode(found);
  const id = randomUUID();
  await store.write('meta', [{ key: 'schema', put: new Map([[INDEX_COLUMNS.tableId, text.encode(id)]]) }]);
  return id;
}
