import type { BatchHeader } from '../../webtable/index.js';
import type { CrawlContext, Tracker } from '../jobs/index.js';
import type { IndexChange, IndexEntry, IndexWriter } from '../plugin-api/index.js';
import {
  canonicalKeyOf,
  createDocuments,
  INDEX_FIELDS,
  type Built,
  type IndexRow,
} from './documents/build-document.js';

/** The name under which the index reads the batches that were updated. */
export const CONSUMER = 'index';

/** Rows read at a time: a text may be as long as a page may. */
const ROWS = 25;
/** What goes to the index in one transaction: so many changes, or UTF-16 units of text. */
const CHANGES = 1000;
const UNITS = 8_000_000;
/** Entries of the index read at a time. */
const ENTRIES = 1000;

/** Changes of an index that gather until they are worth a transaction. One is under way while the next gathers. */
function createBuffer(crawl: CrawlContext, writer: IndexWriter, tracker: Tracker) {
  let changes: IndexChange[] = [];
  let marks = new Map<string, boolean>();
  let units = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    await underWay;
    const [sent, marked] = [changes, marks];
    [changes, marks, units] = [[], new Map<string, boolean>(), 0];
    underWay = apply(sent, marked);
    // Who waits for it next hears of the error.
    underWay.catch(() => undefined);
  }

  /** The index before the marks: a mark says that the index has the page. */
  async function apply(sent: readonly IndexChange[], marked: ReadonlyMap<string, boolean>): Promise<void> {
    const { added, changed, removed } = await writer.apply(sent);
    tracker.count('added', added);
    tracker.count('changed', changed);
    tracker.count('removed', removed);
    await markRows(crawl, marked);
  }

  return {
    /** @param isIn whether the page is in the index then; its mark follows */
    async add(key: string, change: IndexChange | undefined, isIn: boolean): Promise<void> {
      if (change) changes.push(change);
      if (change?.type === 'put') units += change.document.text.length + change.document.anchors.length;
      marks.set(key, isIn);
      if (marks.size >= CHANGES || units >= UNITS) await write();
    },
    /** An entry of the index that has no row. */
    async remove(key: string): Promise<void> {
      changes.push({ type: 'remove', key });
      if (changes.length >= CHANGES) await write();
    },
    /** All is in the index, and marked. */
    async flush(): Promise<void> {
      await write();
      await underWay;
    },
  };
}

/** The mark of a page in the index names the batch of the fetch that is in it. Others have none. */
async function markRows({ tables, clock }: CrawlContext, marked: ReadonlyMap<string, boolean>): Promise<void> {
  const keys = [...marked.keys()];
  if (keys.length === 0) return;
  await tables.changeRows(keys, ['marks'], clock(), (rows) =>
    rows.map((row) => {
      if (!row || row.damaged) return undefined;
      const wanted = marked.get(row.key) ? (row.marks?.updatedb ?? 'y') : undefined;
      return row.marks?.index === wanted ? undefined : { key: row.key, marks: { index: wanted ?? null } };
    }),
  );
}

type Build = (rows: readonly IndexRow[]) => Promise<Built[]>;

/** Builds the documents of rows, with a look at the pages that they name as canonical. */
function createBuild({ tables, plugins }: CrawlContext, tracker: Tracker): Build {
  const build = createDocuments(plugins, tracker.fail);
  return async (rows) => {
    const canonicals = rows.map(canonicalKeyOf);
    const keys = [...new Set(canonicals.filter((key) => key !== undefined))];
    const others = keys.length === 0 ? [] : await tables.pages.getMany(keys, ['status', 'parseStatus', 'duplicateOf']);
    const standing = new Set(
      others
        .filter((row) => row && (row.status === 'fetched' || row.status === 'notmodified'))
        .filter((row) => row!.parseStatus?.code === 'success' && !row!.parseStatus.noindex && !row!.duplicateOf)
        // Two pages that name each other would both be left out.
        .filter((row) => canonicalKeyOf(row!) === undefined)
        .map((row) => row!.key),
    );
    return rows.map((row, i) => {
      const built = build(row, canonicals[i] !== undefined && standing.has(canonicals[i]));
      if ('leftOut' in built) tracker.count(built.leftOut);
      return built;
    });
  };
}

/**
 * Brings the pages of a batch into the index that updatedb has closed, marks them, and takes the name of the index off the batch; where
 * nobody else is to read it the batch is closed. Killed anywhere it is read again.
 * @returns false when the job was to end before
 */
export async function indexBatch(
  crawl: CrawlContext,
  writer: IndexWriter,
  batchId: string,
  tracker: Tracker,
): Promise<boolean> {
  if (!(await indexRowsOf(crawl, writer, batchId, tracker))) return false;
  await release(crawl, batchId);
  tracker.count('batches');
  return true;
}

/** The same, but that the batch goes on to name the index. @returns false when the job was to end before */
export async function indexRowsOf(
  crawl: CrawlContext,
  writer: IndexWriter,
  batchId: string,
  tracker: Tracker,
): Promise<boolean> {
  const { pages, batches } = crawl.tables;
  const buffer = createBuffer(crawl, writer, tracker);
  const build = createBuild(crawl, tracker);
  for await (const entries of batches.updated(batchId)) {
    for (let i = 0; i < entries.length; i += ROWS) {
      if (tracker.aborted) return false;
      const keys = entries.slice(i, i + ROWS).map(({ rowKey }) => rowKey);
      const rows = await pages.getMany(keys, INDEX_FIELDS);
      for (const [at, row] of rows.entries()) if (!row) await buffer.remove(keys[at]!);
      const present = rows.filter((row) => row !== undefined);
      const built = await build(present);
      for (const [at, { key }] of present.entries()) {
        const each = built[at]!;
        if ('document' in each) await buffer.add(key, { type: 'put', document: each.document }, true);
        else if (staysAway(each.leftOut)) await buffer.add(key, { type: 'remove', key }, false);
      }
      tracker.done(keys.length);
    }
  }
  await buffer.flush();
  return true;
}

/** Of the others nobody knows what they are to be: the index keeps what it has. */
function staysAway(leftOut: string): boolean {
  return leftOut !== 'held' && leftOut !== 'damaged';
}

async function release({ tables: { batches } }: CrawlContext, batchId: string): Promise<void> {
  const without = ({ consumers = [] }: BatchHeader): string[] => consumers.filter((name) => name !== CONSUMER);
  const header = await batches.find(batchId);
  if (!header) return;
  if (without(header).length === 0) await batches.clear(batchId, { updated: true });
  await batches.change(batchId, (found) => {
    if (found?.state !== 'updated') return undefined;
    const { size } = found;
    const consumers = without(found);
    return consumers.length > 0 ? { size, state: 'updated', consumers } : { size, state: 'closed' };
  });
}

/** What was found to differ between table and index. */
export interface Lag {
  /** Pages that were not in the index. */
  missing: number;
  /** Documents that no page bears out. */
  superfluous: number;
  /** Documents that are not as their page is. */
  stale: number;
}

/**
 * Walks table and index side by side in key order, and puts right what differs.
 * @param onStep awaited after every few rows; it may change the index
 * @returns undefined when the job was to end before
 */
export async function reconcile(
  crawl: CrawlContext,
  writer: IndexWriter,
  tracker: Tracker,
  onStep = (): Promise<void> | void => {},
): Promise<Lag | undefined> {
  const buffer = createBuffer(crawl, writer, tracker);
  const build = createBuild(crawl, tracker);
  const lag: Lag = { missing: 0, superfluous: 0, stale: 0 };
  const entries = entriesOf(writer);
  let entry = await entries.next();

  const pass = async (key: string | undefined): Promise<IndexEntry | undefined> => {
    while (!entry.done && (key === undefined || entry.value.key < key)) {
      lag.superfluous += 1;
      await buffer.remove(entry.value.key);
      entry = await entries.next();
    }
    if (entry.done || entry.value.key !== key) return undefined;
    const found = entry.value;
    entry = await entries.next();
    return found;
  };

  for await (const rows of inSteps(crawl.tables.pages.scan({ fields: INDEX_FIELDS }))) {
    if (tracker.aborted) return undefined;
    const built = await build(rows);
    for (const [i, { key, marks }] of rows.entries()) {
      const found = await pass(key);
      const each = built[i]!;
      if ('document' in each) {
        const change = changeOf(each.document, found);
        if (!change) tracker.count('unchanged');
        else if (change.type === 'put') lag[found ? 'stale' : 'missing'] += 1;
        if (change || marks?.index !== (marks?.updatedb ?? 'y')) await buffer.add(key, change, true);
      } else if (staysAway(each.leftOut) && (found || marks?.index !== undefined)) {
        if (found) lag.superfluous += 1;
        await buffer.add(key, found && { type: 'remove', key }, false);
      }
    }
    tracker.done(rows.length);
    await onStep();
  }
  await pass(undefined);
  await buffer.flush();
  return lag;
}

function changeOf(
  document: Extract<Built, { document: unknown }>['document'],
  found: IndexEntry | undefined,
): Exclude<IndexChange, { type: 'remove' }> | undefined {
  const { key, rank, fetchedAt, fingerprint } = document;
  if (found?.fingerprint !== fingerprint) return { type: 'put', document };
  return found.rank === rank && found.fetchedAt === fetchedAt ? undefined : { type: 'touch', key, rank, fetchedAt };
}

async function* entriesOf(writer: IndexWriter): AsyncGenerator<IndexEntry, undefined> {
  for (let after: string | undefined; ;) {
    const step = await writer.entries(after, ENTRIES);
    yield* step;
    if (step.length < ENTRIES) return undefined;
    after = step.at(-1)!.key;
  }
}

async function* inSteps(rows: AsyncIterable<IndexRow>): AsyncGenerator<IndexRow[]> {
  let step: IndexRow[] = [];
  for await (const row of rows) {
    step.push(row);
    if (step.length < ROWS) continue;
    yield step;
    step = [];
  }
  if (step.length > 0) yield step;
}
