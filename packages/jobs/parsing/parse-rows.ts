import { urlOf, writeEach } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import { changedLinks } from '../changes/changed-links.js';
import type { Tracker } from '../reporting/tracker.js';
import { batchRows } from '../rows/batch-rows.js';
import { checkLeases } from '../shards/job-slots.js';
import { countDamaged } from '../rows/count-damaged.js';
import { rulesNow, type RulesInForce } from '../rules/rules-now.js';
import { parsePage } from './parse-page.js';

/** Number of rows that are read at a time. Each may have a body of `http.contentLimit` bytes. A sitemap may be larger, so it is read alone. */
const CHUNK = 20;

/**
 * Parses the pages of a batch that are fetched but not parsed.
 * @param force true: pages that are already parsed are parsed again
 */
export async function parseRows(crawl: JobRun, batchId: string, force: boolean, tracker: Tracker): Promise<void> {
  for await (const rows of batchRows(crawl, batchId, ['status', 'sitemap'], CHUNK, tracker.count)) {
    if (tracker.aborted) break;
    const rules = await rulesNow(crawl);
    const ready: string[] = [];
    const sitemaps: string[] = [];
    for (const { row } of rows) {
      const { key, marks, status, sitemap } = row;
      if (marks?.fetch !== batchId || status !== 'fetched') tracker.count('not_fetched');
      else if (marks.parse === batchId && !force) tracker.count('already_parsed');
      else (sitemap ? sitemaps : ready).push(key);
    }
    if (ready.length > 0) await parseTogether(crawl, rules, batchId, ready, tracker);
    for (const key of sitemaps) await parseTogether(crawl, rules, batchId, [key], tracker);
    tracker.done(rows.length);
  }
}

const BODY_FIELDS = ['content', 'contentType', 'headers', 'protocolStatus', 'sitemap', 'distance'] as const;

/** Parses pages at the same time. All their bodies are in memory. */
async function parseTogether(
  crawl: JobRun,
  rules: RulesInForce,
  batchId: string,
  keys: readonly string[],
  tracker: Tracker,
): Promise<void> {
  const bodies = await crawl.tables.pages.getMany(keys, BODY_FIELDS);
  const parseRow = async (key: string, i: number) => {
    const page = bodies[i];
    while (crawl.tables.timeSlice.isOver) await crawl.tables.timeSlice.next();
    const { parsed, encoded, unset } = await parsePage(
      crawl,
      rules,
      {
        url: urlOf(key),
        content: page?.content,
        contentType: page?.contentType ?? '',
        headers: page?.headers ?? {},
        truncated: page?.protocolStatus?.truncated ?? false,
        sitemap: page?.sitemap,
        isSeed: page?.distance === 0,
      },
      tracker.count,
    );
    const links = await changedLinks(crawl, key, encoded);
    return {
      key,
      encoded,
      ...(links && { set: { changedLinks: links } }),
      unset: [...unset, ...(links ? [] : (['changedLinks'] as const))],
      marks: { parse: parsed ? batchId : null },
    };
  };
  const changes = new Map((await Promise.all(keys.map(parseRow))).map((change) => [change.key, change]));
  const released = new Set<string>();
  const write = (some: readonly string[]): Promise<void> =>
    crawl.tables.changeRows(some, [], crawl.clock(), async (rows, left) => {
      await checkLeases(crawl);
      return left.map((key, i) => {
        if (rows[i]?.damaged || rows[i]?.marks?.generate === batchId) return changes.get(key);
        // The batch was too old, so generate has released the row.
        released.add(key);
        return undefined;
      });
    });
  for (const outcome of await writeEach(write, keys)) {
    if (outcome.status === 'rejected') countDamaged(outcome.reason, tracker.count);
  }
  for (const { encoded } of changes.values()) if (encoded) crawl.parseThreads?.giveBack(encoded);
  tracker.count('released', released.size);
}
