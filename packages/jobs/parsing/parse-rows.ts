import { urlOf, writeEach, type PageChange } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { Tracker } from '../reporting/tracker.js';
import { batchRows } from '../rows/batch-rows.js';
import { hold } from '../shards/own-slots.js';
import { countDamaged } from '../rows/count-damaged.js';
import { cutDifferences } from '../rules/cut-links.js';
import { withRules } from '../rules/with-rules.js';
import { parsePage } from './parse-page.js';

/** Rows read at a time; each may bring a body of `http.contentLimit` bytes. A sitemap may be larger, and is read alone. */
const CHUNK = 20;

/** Parses what a batch has fetched and not parsed; with `force`, all that it has fetched. */
export async function parseRows(given: CrawlContext, batchId: string, force: boolean, tracker: Tracker): Promise<void> {
  for await (const rows of batchRows(given, batchId, ['status', 'sitemap'], CHUNK, tracker.count)) {
    if (tracker.aborted) break;
    const crawl = await withRules(given);
    const ready: string[] = [];
    const sitemaps: string[] = [];
    for (const { row } of rows) {
      const { key, marks, status, sitemap } = row;
      if (marks?.fetch !== batchId || status !== 'fetched') tracker.count('not_fetched');
      else if (marks.parse === batchId && !force) tracker.count('already_parsed');
      else (sitemap ? sitemaps : ready).push(key);
    }
    if (ready.length > 0) await parseTogether(crawl, batchId, ready, tracker);
    for (const key of sitemaps) await parseTogether(crawl, batchId, [key], tracker);
    tracker.done(rows.length);
  }
}

const BODY_FIELDS = ['content', 'contentType', 'headers', 'protocolStatus', 'sitemap', 'cutLinks'] as const;

/** Parses pages whose bodies are in memory all at once. */
async function parseTogether(
  crawl: CrawlContext,
  batchId: string,
  keys: readonly string[],
  tracker: Tracker,
): Promise<void> {
  const bodies = await crawl.tables.pages.getMany(keys, BODY_FIELDS);
  const cut = new Map<string, Readonly<Record<string, number>>>();
  const parseRow = async (key: string, i: number): Promise<PageChange> => {
    const page = bodies[i];
    while (crawl.tables.turns.isDue) await crawl.tables.turns.next();
    const { parsed, encoded, unset } = await parsePage(
      crawl,
      {
        url: urlOf(key),
        content: page?.content,
        contentType: page?.contentType ?? '',
        headers: page?.headers ?? {},
        truncated: page?.protocolStatus?.truncated ?? false,
        sitemap: page?.sitemap,
      },
      tracker.count,
    );
    cut.set(key, cutDifferences(page?.cutLinks, { parsed, encoded }));
    return { key, encoded, unset, marks: { parse: parsed ? batchId : null } };
  };
  const changes = new Map((await Promise.all(keys.map(parseRow))).map((change) => [change.key, change]));
  const released = new Set<string>();
  const write = (some: readonly string[]): Promise<void> =>
    crawl.tables.changeRows(some, [], crawl.clock(), async (rows, left) => {
      await hold(crawl);
      return left.map((key, i) => {
        if (rows[i]?.damaged || rows[i]?.marks?.generate === batchId) return changes.get(key);
        // generate has released it meanwhile, since the batch was too old.
        released.add(key);
        return undefined;
      });
    });
  for (const [i, outcome] of (await writeEach(write, keys)).entries()) {
    if (outcome.status === 'rejected') countDamaged(outcome.reason, tracker.count);
    else if (!released.has(keys[i]!)) crawl.rules?.cutLinks(cut.get(keys[i]!) ?? {});
  }
  tracker.count('released', released.size);
}
