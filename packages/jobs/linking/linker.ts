import { urlOf, type PageChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { createRowCounts } from '../reporting/row-counts.js';
import type { Tracker } from '../reporting/tracker.js';
import { rulesNow } from '../rules/rules-now.js';
import { createRefusals } from '../selection/refusals.js';
import { checkLeases, isOfJob } from '../shards/job-slots.js';
import { foldInlinks, inFoldSteps } from './inlinks.js';
import { LINKED_FIELDS, linkChange, type LinkTerms, type Target } from './link-change.js';
import { batchOf } from './watermarks.js';
import type { LinkEvent, LinkSlice, LinksOfTargets } from './link-slice.js';

const CHUNK = 500;

/** Adds the links of a batch to rows. */
export interface Linker {
  /**
   * Adds links to their target rows, in key order.
   * @param own own rows of the batch that are known, so that they are not read. With `own`, links to rows that this
   * job releases are left out, because they are added by the change that releases such a row.
   * @returns the links that were left out
   */
  addLinks(slice: LinkSlice, own?: ReadonlySet<string>): Promise<LinksOfTargets>;
  /** Looks up the batches that the watermarks of the rows name. Call it after the rows are read, before `changeFor`. */
  look(rows: readonly (Target | undefined)[]): Promise<void>;
  /** Returns the terms for the next changes, with the rules that are in force now. */
  now(): Promise<LinkTerms>;
  /**
   * Returns the change that adds links to a row. Returns undefined if the row already has the links, or if the row does not exist and may
   * not be created.
   */
  changeFor(
    terms: LinkTerms,
    key: string,
    row: Target | undefined,
    links: readonly LinkEvent[],
    count: Count,
  ): PageChange | undefined;
}

/**
 * Creates the linker of a batch. The watermark of a row (`linkedUpTo`) names the last source whose links the row has. The change that adds
 * links also writes the watermark, and links of sources up to the watermark are skipped.
 * @param openIds batches that may still add links. Watermarks of other batches are dropped, except watermarks of newer batches.
 */
export function createLinker(crawl: JobRun, batchId: string, openIds: ReadonlySet<string>, tracker: Tracker): Linker {
  let latest: Omit<LinkTerms, 'now'> | undefined;
  const now = async (): Promise<LinkTerms> => {
    const rules = await rulesNow(crawl);
    if (latest?.rules.ruleSet !== rules.ruleSet)
      latest = { crawl, rules, refusals: createRefusals(crawl, rules, false) };
    return { ...latest, now: crawl.clock() };
  };
  const { batches, isShared, slots } = crawl.tables;
  /** Whether a batch may still add links, by batch id. */
  const known = new Map<string, boolean>(Array.from(openIds, (id) => [id, true]));
  const mayAdd = (id: string): boolean => known.get(id) ?? false;

  /** Looks up batches of other workers. Such a batch may be newer than `openIds`, and may have added links to these rows. */
  async function look(rows: readonly (Target | undefined)[]): Promise<void> {
    if (!isShared) return;
    for (const row of rows) {
      for (const watermark of Object.keys(row?.linkedUpTo ?? {})) {
        const id = batchOf(watermark);
        if (known.has(id)) continue;
        const state = (await batches.find(id))?.state;
        known.set(id, state !== undefined && state !== 'closed' && state !== 'updated');
      }
    }
  }

  function changeFor(
    terms: LinkTerms,
    key: string,
    row: Target | undefined,
    events: readonly LinkEvent[],
    count: Count,
  ): PageChange | undefined {
    const links: LinkEvent[] = [];
    for (const link of events) if (isNew(row, link)) links.push(link);
    if (links.length === 0) return undefined;
    if (!row && !crawl.settings.db.updateAdditionsAllowed) {
      count('not_added');
      return undefined;
    }
    // The rule may have been added after the pages were parsed.
    if (!row && terms.rules.ruleSet.decides(urlOf(key))?.kind === 'reject') {
      count('not_added_rules');
      return undefined;
    }
    count('links', links.length);
    count(row ? 'linked' : 'added');
    const change = linkChange(terms, count, batchId, key, row, links, mayAdd);
    if (row && change.set?.dueAt !== undefined) count('sooner');
    if (!row && change.set?.refusedBy !== undefined) count('refused');
    return change;
  }

  return {
    now,
    look,
    changeFor,
    async addLinks(slice, own) {
      const left = new Set<string>();
      const sorted: string[] = [];
      for (const target of slice.targets()) {
        if (own?.has(target)) left.add(target);
        else sorted.push(target);
      }
      sorted.sort();
      for (let i = 0; i < sorted.length; i += CHUNK) {
        const counts = createRowCounts(tracker.count);
        const some = sorted.slice(i, i + CHUNK);
        const terms = await now();
        await inFoldSteps(some, (step, later) =>
          crawl.tables.changeRows(step, LINKED_FIELDS, terms.now, async (rows, keys) => {
            await checkLeases(crawl);
            await look(rows);
            const changes = keys.map((key, at) => {
              const row = rows[at];
              const count = counts.of(key);
              left.delete(key);
              if (row?.damaged) count('damaged');
              else if (own && row?.marks?.generate === batchId && isOfJob(crawl, slots.ofRow(key))) left.add(key);
              else return changeFor(terms, key, row, slice.linksOf(key), count);
              return undefined;
            });
            return foldInlinks(crawl, rows, changes, later);
          }),
        );
        counts.end();
      }
      return left.size === 0 ? NOTHING_LEFT : leftOf(slice, left);
    },
  };
}

const NOTHING_LEFT: LinksOfTargets = { linksOf: () => [] };

/** Returns the links to some rows. The function is outside the linker, so that its result holds no other data of the linker in memory. */
function leftOf(slice: LinkSlice, rows: ReadonlySet<string>): LinksOfTargets {
  return { linksOf: (key) => (rows.has(key) ? slice.linksOf(key) : []) };
}

function isNew(row: Target | undefined, { from }: LinkEvent): boolean {
  return from.position > (row?.linkedUpTo?.[from.watermark] ?? '');
}
