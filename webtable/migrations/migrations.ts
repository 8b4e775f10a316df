import { CrawlError, safeText } from '../../packages/errors/index.js';
import { slotsOf, type Slots } from '../keys/partition.js';
import { text } from '../pages/codec.js';
import type { Pages } from '../pages/pages.js';
import { INDEX_COLUMNS, SCHEMA_VERSION } from '../schema.js';
import type { Store } from '../store.js';
import { moveTexts } from './move-texts.js';
import { rebuildIndexes } from './rebuild-indexes.js';
import { signBodies } from './sign-bodies.js';

/** The migration reports its progress through this object, and checks here whether it should stop. */
export interface MigrationProgress {
  /** Whether the caller wants the migration to stop. The migration checks this after each change of rows. */
  readonly aborted: boolean;
  /** Adds to a counter. */
  count(name: 'texts' | 'signatures' | 'rows' | 'batches' | 'released' | 'damaged', n: number): void;
  /** Adds to the number of completed rows. */
  done(n: number): void;
}

/** The schema version of a table before and after its migration. Both are equal if no migration was needed. */
export interface MigratedVersions {
  readonly from: number;
  readonly to: number;
}

/** One change of the layout. A migration may be killed at any moment; the next run continues it. */
interface Migration {
  readonly from: number;
  readonly to: number;
  readonly run: (store: Store, slots: Slots, pages: Pages, progress: MigrationProgress) => Promise<void>;
}

/** All migrations, the oldest first. The last migration leads to {@link SCHEMA_VERSION}. */
export const MIGRATIONS: readonly Migration[] = [
  {
    from: 7,
    to: 8,
    async run(store, slots, pages, progress) {
      await moveTexts(store, pages, progress);
      if (!progress.aborted) await signBodies(pages, progress);
      if (!progress.aborted) await rebuildIndexes(store, slots, pages, progress);
    },
  },
];

/** The version that is written while a migration runs. The table then has rows of both layouts, so no code opens it. */
const underWay = ({ from, to }: Migration): string => `${from}>${to}`;

/** The migrations that a table of this version needs; undefined for an unknown version. */
function migrationsFrom(version: string): readonly Migration[] | undefined {
  if (version === String(SCHEMA_VERSION)) return [];
  const first = MIGRATIONS.findIndex((each) => version === String(each.from) || version === underWay(each));
  return first < 0 ? undefined : MIGRATIONS.slice(first);
}

/** Reads a stored version. If the bytes are not a version, the text is no valid version either. */
export function versionIn(cell: Uint8Array): string {
  return Buffer.from(cell).toString('latin1');
}

/**
 * Checks the version of a table when it is opened.
 * @param migrates true: also accepts a table that can be migrated
 * @throws CrawlError TABLE_VERSION
 */
export function checkVersion(version: string, migrates: boolean): void {
  const migrations = migrationsFrom(version);
  if (migrations?.length === 0 || (migrations && migrates)) return;
  const [next] = migrations ?? [];
  const isBegun = next && version === underWay(next);
  const found = isBegun
    ? `an incomplete migration from schema version ${next.from} to ${next.to}`
    : `schema version ${safeText(version, 100)}`;
  throw new CrawlError(
    'TABLE_VERSION',
    `the table has ${found}, and this version needs schema version ${SCHEMA_VERSION}`,
    {
      hint: !migrations
        ? 'use the version of webcrawl that wrote this table, or crawl into a new table'
        : isBegun
          ? 'run `webcrawl migrate` with the same --table again: it continues'
          : 'make a backup (`webcrawl backup`), then run `webcrawl migrate` with the same --table',
    },
  );
}

/**
 * Migrates a table to {@link SCHEMA_VERSION}. No other process may write to the table meanwhile. After a stop or a kill, no code opens the
 * table until a later call has completed the migration.
 * @throws CrawlError TABLE_VERSION for a table of an unknown version, and for an earlier version in a store that several processes use
 */
export async function migrateRows(store: Store, pages: Pages, progress: MigrationProgress): Promise<MigratedVersions> {
  const [row] = await store.get('meta', ['schema'], [INDEX_COLUMNS.schemaVersion, INDEX_COLUMNS.slots]);
  const cell = row?.cells.get(INDEX_COLUMNS.schemaVersion);
  const slots = row?.cells.get(INDEX_COLUMNS.slots);
  const version = cell ? versionIn(cell) : String(SCHEMA_VERSION);
  checkVersion(version, true);
  const migrations = migrationsFrom(version) ?? [];
  if (migrations.length > 0 && store.compareAndSet) {
    throw new CrawlError('TABLE_VERSION', `a table on HBase of schema version ${version} cannot be migrated`, {
      hint: 'crawl into a new table, with the seeds of this one',
    });
  }
  for (const migration of migrations) {
    if (progress.aborted) break;
    await writeVersion(store, underWay(migration));
    await migration.run(store, slotsOf(Number(slots && text.decode(slots))), pages, progress);
    if (progress.aborted) break;
    await writeVersion(store, String(migration.to));
  }
  return { from: migrations[0]?.from ?? SCHEMA_VERSION, to: SCHEMA_VERSION };
}

function writeVersion(store: Store, version: string): Promise<void> {
  const put = new Map([[INDEX_COLUMNS.schemaVersion, text.encode(version)]]);
  return store.write('meta', [{ key: 'schema', put }]);
}
