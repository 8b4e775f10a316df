import { urlOf, type BatchHeader, type PageChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { createRowCounts } from '../reporting/row-counts.js';
import { rulesNow } from '../rules/rules-now.js';
import { createRefusals } from '../selection/refusals.js';
import { checkLeases, isOfJob, ownsRow } from '../shards/job-slots.js';
import { foldInlinks, inFoldSteps } from './inlinks.js';
import { LINKED_FIELDS, linkChange, type LinkTerms, type Target } from './link-change.js';
import { batchOf, hasChunk, type LinkChunk } from './link-chunks.js';
import type { LinkEvent, LinksByTarget } from './link-slice.js';
import { entriesOf } from './sent-links.js';

/** Adds links to rows: those of a batch, or those of an inbox. */
export interface Linker {
  /**
   * Adds links to their target rows, in key order. Links to rows of other owners are put into the inboxes of their slots.
   * @param own own rows of the batch that are known, so that they are not read. With `own`, links to rows that this
   * job releases are left out, because they are added by the change that releases such a row.
   * @returns the links that were left out
   */
  addLinks(links: LinksByTarget, own?: ReadonlySet<string>): Promise<LinksByTarget>;
  /** Looks up the batches that the rows name. Call it after the rows are read, before `foldLinks`. */
  look(rows: readonly (Target | undefined)[]): Promise<void>;
  /** Returns the terms for the next changes, with the rules that are in force now. */
  now(): Promise<LinkTerms>;
  /**
   * Returns the change that adds links to a row. Returns undefined if the row already has the links, if their batch is closed, or if the row
   * does not exist and may not be created.
   */
  foldLinks(
    terms: LinkTerms,
    key: string,
    row: Target | undefined,
    links: readonly LinkEvent[],
    count: Count,
  ): PageChange | undefined;
  /** The slots into whose inboxes links were put. */
  readonly inboxes: ReadonlySet<string>;
}

/**
 * Creates a linker. A row names the chunks whose links it has (`linkedUpTo`). The change that adds links also writes these names, and links of
 * chunks that the row names are skipped. A row drops the names of batches that add no more links.
 * @param batchId the batch whose links updatedb adds. Absent: the links are those of an inbox, of any batches
 */
export function createLinker(crawl: JobRun, batchId: string | undefined, count: Count): Linker {
  let latest: Omit<LinkTerms, 'now'> | undefined;
  const now = async (): Promise<LinkTerms> => {
    const rules = await rulesNow(crawl);
    if (latest?.rules.ruleSet !== rules.ruleSet)
      latest = { crawl, rules, refusals: createRefusals(crawl, rules, false) };
    return { ...latest, now: crawl.clock() };
  };
  const { batches, inboxes, slots, rowsAtATime } = crawl.tables;
  const sentTo = new Set<string>();
  /** Whether a batch may still add links, by batch id. */
  const known = new Map<string, boolean>(batchId === undefined ? [] : [[batchId, true]]);
  const mayAdd = (id: string): boolean => known.get(id) ?? false;

  /**
   * Looks up batches. If a row has dropped the name of a batch, the batch was finished before the row was read. So batches
   * whose links are to be added are looked up again after each read of rows.
   */
  async function lookUp(rows: readonly (Target | undefined)[], adding: ReadonlySet<string>): Promise<void> {
    const named = rows.flatMap((row) => Object.keys(row?.linkedUpTo ?? {}).map(batchOf));
    const ids = [...new Set([...adding, ...named])].filter((id) => !known.has(id) || (adding.has(id) && mayAdd(id)));
    for (const [i, header] of (await batches.findAll(ids)).entries()) known.set(ids[i]!, isUnfinished(header));
  }

  function foldLinks(
    terms: LinkTerms,
    key: string,
    row: Target | undefined,
    events: readonly LinkEvent[],
    count: Count,
  ): PageChange | undefined {
    const { links, late } = newLinks(row, events, mayAdd);
    if (late > 0) count('links_late', late);
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
    const change = linkChange(terms, count, key, row, links, mayAdd);
    if (row && change.set?.dueAt !== undefined) count('sooner');
    if (!row && change.set?.refusedBy !== undefined) count('refused');
    return change;
  }

  async function send(links: LinksByTarget, targets: readonly string[]): Promise<void> {
    for (const target of targets) sentTo.add(slots.ofRow(target));
    for (let i = 0; i < targets.length; i += rowsAtATime) {
      const entries = targets.slice(i, i + rowsAtATime).flatMap((target) => {
        const sent = links.linksOf(target);
        count('links_sent', sent.length);
        return entriesOf(target, sent);
      });
      await inboxes.put(entries);
    }
  }

  return {
    now,
    look: (rows) => lookUp(rows, new Set()),
    foldLinks,
    inboxes: sentTo,
    async addLinks(links, own) {
      const left = new Set<string>();
      const sorted: string[] = [];
      const foreign: string[] = [];
      for (const target of links.targets()) {
        if (own?.has(target)) left.add(target);
        else (ownsRow(crawl, target) ? sorted : foreign).push(target);
      }
      await send(links, foreign.sort());
      sorted.sort();
      for (let i = 0; i < sorted.length; i += rowsAtATime) {
        const counts = createRowCounts(count);
        const some = sorted.slice(i, i + rowsAtATime);
        const terms = await now();
        await inFoldSteps(some, (step, later) =>
          crawl.tables.changeRows(step, LINKED_FIELDS, terms.now, async (rows, keys) => {
            await checkLeases(crawl);
            await lookUp(rows, batchId === undefined ? batchesOf(links, keys) : new Set());
            const changes = keys.map((key, at) => {
              const row = rows[at];
              const countRow = counts.of(key);
              left.delete(key);
              if (row?.damaged) countRow('damaged');
              else if (own && row?.marks?.generate === batchId && isOfJob(crawl, slots.ofRow(key))) left.add(key);
              else return foldLinks(terms, key, row, links.linksOf(key), countRow);
              return undefined;
            });
            return foldInlinks(crawl, rows, changes, later);
          }),
        );
        counts.end();
      }
      return left.size === 0 ? NO_LINKS : linksTo(links, left);
    },
  };
}

/** Returns the links that a row does not have, and the number of those that come too late. */
function newLinks(
  row: Target | undefined,
  events: readonly LinkEvent[],
  mayAdd: (batchId: string) => boolean,
): { readonly links: readonly LinkEvent[]; readonly late: number } {
  const links: LinkEvent[] = [];
  let late = 0;
  let chunk: LinkChunk | undefined;
  let isNew = false;
  let isLate = false;
  for (const link of events) {
    if (link.from.chunk !== chunk) {
      ({ chunk } = link.from);
      isNew = !hasChunk(row?.linkedUpTo?.[chunk.name], chunk.number);
      isLate = isNew && !mayAdd(batchOf(chunk.name));
    }
    if (isLate) late += 1;
    else if (isNew) links.push(link);
  }
  return { links, late };
}

const NO_LINKS: LinksByTarget = { targets: () => [], linksOf: () => [] };

/** Whether links of a batch may still be added to rows. */
function isUnfinished(header: BatchHeader | undefined): boolean {
  if (!header || header.state === 'closed') return false;
  return header.state !== 'updated' || header.inboxes !== undefined;
}

function batchesOf(links: LinksByTarget, targets: readonly string[]): ReadonlySet<string> {
  return new Set(targets.flatMap((target) => links.linksOf(target).map(({ from }) => batchOf(from.chunk.name))));
}

/** Returns the links to some rows. The function is outside the linker, so that its result holds no other data of the linker in memory. */
function linksTo(links: LinksByTarget, rows: ReadonlySet<string>): LinksByTarget {
  return { targets: () => rows, linksOf: (key) => (rows.has(key) ? links.linksOf(key) : []) };
}
