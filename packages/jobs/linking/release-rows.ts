import { readAhead } from '../../util/index.js';
import type { BatchLog } from '../changes/batch-log.js';
import { LOGGED_FIELDS } from '../changes/note-change.js';
import type { JobRun } from '../context.js';
import { createRowCounts } from '../reporting/row-counts.js';
import type { Tracker } from '../reporting/tracker.js';
import { batchEntries } from '../rows/batch-rows.js';
import { RESCHEDULE_FIELDS, reschedule } from '../rows/reschedule.js';
import { checkLeases } from '../shards/job-slots.js';
import { foldInlinks, inFoldSteps } from './inlinks.js';
import { LINKED_FIELDS } from './link-change.js';
import type { LinksByTarget } from './link-slice.js';
import type { Linker } from './linker.js';

/** Numbers of released rows of the batch. `fetched` rows have an outcome. */
export interface Released {
  fetched: number;
  notFetched: number;
}

/**
 * Releases the own rows of a batch. The same change adds the links to each row. The entries of the rows stay in the index of the batch
 * until all rows are released. Therefore a run after a kill collects the links of released rows again.
 * @param left the links to own rows that are not added yet
 * @param log absent: changes are not logged
 * @returns false if the job was stopped before all rows were released
 */
export async function releaseRows(
  crawl: JobRun,
  batchId: string,
  linker: Linker,
  left: LinksByTarget,
  consumers: readonly string[],
  tracker: Tracker,
  released: Released,
  log?: BatchLog,
): Promise<boolean> {
  const { tables } = crawl;
  const fields = [...new Set([...RESCHEDULE_FIELDS, ...LINKED_FIELDS, ...(log ? LOGGED_FIELDS : [])])];
  for await (const entries of readAhead(batchEntries(crawl, batchId, tables.rowsAtATime))) {
    if (tracker.aborted) return false;
    const updated = new Set<string>();
    const notFetched = new Set<string>();
    const logged = log?.chunk();
    const counts = createRowCounts(tracker.count);
    const keys = entries.map(({ rowKey }) => rowKey);
    const terms = await linker.now();
    await inFoldSteps(keys, (step, later) =>
      tables.changeRows(step, fields, terms.now, async (rows, asked) => {
        await checkLeases(crawl);
        await linker.look(rows);
        const changes = rows.map((row, i) => {
          const count = counts.of(asked[i]!);
          updated.delete(asked[i]!);
          notFetched.delete(asked[i]!);
          if (row?.damaged) count('damaged');
          if (!row || row.damaged) return undefined;
          if (row.marks?.generate !== batchId) {
            logged?.pass(row);
            return undefined;
          }
          (row.marks.fetch === batchId ? updated : notFetched).add(row.key);
          const links = linker.foldLinks(terms, row.key, row, left.linksOf(row.key), count);
          const noted = logged?.note(row, count);
          const release = reschedule(crawl, { ...row, ...links?.set }, batchId, noted, count);
          const { distanceInFlight = row.distanceInFlight, ...linked } = links?.set ?? {};
          const isLowered = distanceInFlight !== undefined && release.set?.cashInFlight !== undefined;
          return {
            ...links,
            ...release,
            set: {
              ...linked,
              ...release.set,
              ...noted?.set,
              ...(isLowered && { distanceInFlight }),
            },
            unset: [
              ...(links?.unset ?? []),
              ...(release.unset ?? []),
              ...(noted?.unset ?? []),
              ...(isLowered ? [] : (['distanceInFlight'] as const)),
            ],
          };
        });
        // The consumers' entries are written before the rows are released. A run after a kill does not write them for rows that are already
        // released.
        const inStep = new Set(asked);
        const isKept = ({ rowKey }: { rowKey: string }): boolean => inStep.has(rowKey) && updated.has(rowKey);
        const kept = consumers.length > 0 ? entries.filter(isKept) : [];
        await tables.batches.keepUpdated(batchId, kept);
        await logged?.write();
        return foldInlinks(crawl, rows, changes, later);
      }),
    );
    counts.end();
    released.fetched += updated.size;
    released.notFetched += notFetched.size;
    tracker.done(entries.length);
  }
  return true;
}
