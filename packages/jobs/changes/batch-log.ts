import {
  hostKeyOfRow,
  type HostKey,
  type LogItem,
  type LoggedBatch,
  type LoggedState,
  type PageChange,
  type PageRow,
} from '../../../webtable/index.js';
import type { CrawlContext, JobRun } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { createHostFailures } from './host-failures.js';
import type { Verdict } from './kinds-of.js';
import { noteChange, type LOGGED_FIELDS } from './note-change.js';

type Row = PageRow<(typeof LOGGED_FIELDS)[number]>;

/** What the log says of a fetched row: the log fields to write, and whether the page has changed. */
export type LoggedRow = Pick<PageChange, 'set' | 'unset'> & Pick<Verdict, 'isChanged' | 'isHeld'>;

/** Writes the change log while updatedb releases the rows of a batch. */
export type BatchLog = ReturnType<typeof createBatchLog>;

/** Begins to log a batch whose state is `updating`. Returns undefined if changes are not logged. */
export async function beginLog(crawl: JobRun, batchId: string) {
  if (crawl.settings.db.changesKeptDays === 0) return undefined;
  const { changes } = crawl.tables;
  const batch = await changes.begin(batchId, crawl.clock());
  await changes.end([...(await batchesLeft(crawl.tables))]);
  const failures = batch.isCounted ? undefined : createHostFailures(batchId);
  const broken = await changes.brokenBefore(batch);
  return {
    /** Counts failures of hosts, before rows are released. Absent if an earlier run has counted the failures. */
    failures,
    /**
     * Writes a log entry for each host that looks broken.
     * @param isPart whether other workers count the failures of other hosts of the batch
     */
    async writeHosts(isPart: boolean): Promise<void> {
      if (!failures) return;
      // Rounds overlap, so the pages of a broken host come in several batches. The first one writes the entry.
      const found = failures.items().filter(({ host }) => !broken.has(host));
      await changes.write(batch, found);
      await changes.noteHosts(
        batch,
        found.map(({ host }) => host),
        !isPart,
      );
    },
    /** Opens the log of the rows. Call `open` after the hosts are written. */
    open: async () => createBatchLog(crawl, batch, new Set([...broken, ...(await changes.hostsOf(batch))])),
    /** Ends the log of the batch. Call `end` after the batch is updated. */
    end: () => changes.end([batchId]),
  };
}

/** Returns the batches that the log still names, although updatedb has finished them. Updatedb was killed before it removed the names. */
export async function batchesLeft({
  changes,
  batches,
}: Pick<CrawlContext['tables'], 'changes' | 'batches'>): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  for (const batchId of Object.keys((await changes.state()).writing ?? {})) {
    if ((await batches.find(batchId))?.state !== 'updating') left.add(batchId);
  }
  return left;
}

function createBatchLog(crawl: JobRun, batch: LoggedBatch, hosts: ReadonlySet<HostKey>) {
  const { batchId, isBaseline } = batch;
  const isFirstPage = ({ stands, isFirst }: LoggedState): boolean => isFirst === true && stands === 'page';

  /** Starts a group of rows that are released together. If `note` is called several times for a row, the last call applies. */
  function chunk() {
    const items = new Map<string, LogItem>();
    /** The row keys of all pages that were fetched for the first time in this batch, whether the rows are released or not. */
    const firsts = new Set<string>();
    /**
     * Whether this run releases a page that was fetched for the first time. If not, an earlier run has already written the baseline entry.
     * A second entry would count the pages of the group twice, because the groups of the earlier run may have been different.
     */
    let releasesFirst = false;
    return {
      /** Compares a row before the change that releases it. */
      note(row: Row, count: Count): LoggedRow {
        items.delete(row.key);
        firsts.delete(row.key);
        const isHostFailing = hosts.has(hostKeyOfRow(row.key));
        const noted = noteChange(row, batchId, { isBaseline, isHostFailing });
        if (!noted) return { unset: ['digest', 'changedLinks'] };
        const { logged, change, isRebased, isHeld, isChanged } = noted;
        if (isFirstPage(logged)) {
          firsts.add(row.key);
          releasesFirst = true;
        }
        if (isRebased) count('rebased');
        if (isHeld) count('changes_held');
        if (change) {
          count('changes');
          for (const kind of change.kinds) count(`changes_${kind}`);
          items.set(row.key, { kind: 'page', rowKey: row.key, change });
        }
        return {
          set: { logged },
          unset: ['digest', 'changedLinks'],
          ...(isHeld && { isHeld }),
          ...(isChanged !== undefined && { isChanged }),
        };
      },
      /** Counts a row that an earlier run has released. Such a row still belongs to the baseline. */
      pass({ key, logged, marks }: Pick<Row, 'key' | 'logged' | 'marks'>): void {
        if (marks?.updatedb === batchId && logged && isFirstPage(logged)) firsts.add(key);
      },
      /** Writes the log entries of the group. Call `write` before the rows are changed. */
      async write(): Promise<void> {
        const [rowKey] = [...firsts].sort();
        const baseline: LogItem[] = [];
        if (isBaseline && releasesFirst && rowKey !== undefined) {
          baseline.push({ kind: 'baseline', rowKey, found: { pages: firsts.size } });
        }
        await crawl.tables.changes.write(batch, [...baseline, ...items.values()]);
      },
    };
  }

  return { chunk };
}
