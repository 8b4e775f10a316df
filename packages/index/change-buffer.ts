import { changeOrSend, type CrawlContext, type Tracker, type IndexChange, type IndexWriter } from '../core/index.js';

const MAX_CHANGES = 1000;
const MAX_UTF16_UNITS = 8_000_000;

/**
 * Collects changes of an index, and writes them in transactions of many changes. While one transaction is written, changes for the next one
 * are collected.
 */
export type ChangeBuffer = ReturnType<typeof createChangeBuffer>;

interface Gathered {
  readonly changes: Map<string, IndexChange>;
  readonly marks: Map<string, boolean>;
  readonly notes: Map<string, boolean | undefined>;
}

export function createChangeBuffer(crawl: CrawlContext, writer: IndexWriter, tracker: Tracker) {
  const { canonicals } = crawl.tables;
  const nothing = (): Gathered => ({ changes: new Map(), marks: new Map(), notes: new Map() });
  let gathered = nothing();
  let sent = nothing();
  let units = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    await underWay;
    [sent, gathered, units] = [gathered, nothing(), 0];
    underWay = apply(sent);
    // Prevents an unhandled rejection. The next `await` of the promise throws the error.
    underWay.catch(() => undefined);
  }

  /** Writes the changes first, then the marks of rows and the notes on canonical pages, because both say what is in the index. */
  async function apply({ changes, marks, notes }: Gathered): Promise<void> {
    const { added, changed, removed } = await writer.apply([...changes.values()]);
    tracker.count('added', added);
    tracker.count('changed', changed);
    tracker.count('removed', removed);
    await markRows(crawl, marks);
    await canonicals.note(notes);
  }

  async function writeWhereFull(): Promise<void> {
    const { changes, marks, notes } = gathered;
    if (Math.max(changes.size, marks.size, notes.size) >= MAX_CHANGES || units >= MAX_UTF16_UNITS) await write();
  }

  function put(key: string, change: IndexChange): void {
    gathered.changes.delete(key);
    gathered.changes.set(key, change);
    if (change.type === 'put') units += change.document.text.length + change.document.anchors.length;
  }

  return {
    /**
     * Adds a change of a page. A later change of the same page replaces an earlier one.
     * @param isIn whether the page is in the index after this change. The row of the page is marked accordingly
     */
    async add(key: string, change: IndexChange | undefined, isIn: boolean): Promise<void> {
      if (change) put(key, change);
      gathered.marks.set(key, isIn);
      await writeWhereFull();
    },
    /** Removes an index entry whose row does not exist. */
    async remove(key: string): Promise<void> {
      put(key, { type: 'remove', key });
      await writeWhereFull();
    },
    /**
     * Stores whether a canonical page is in the index in place of the pages that name it as canonical. The note is written after all
     * earlier changes. Undefined removes the note.
     */
    async note(canonical: string, stands: boolean | undefined): Promise<void> {
      gathered.notes.set(canonical, stands);
      await writeWhereFull();
    },
    /** Returns the notes, including those that are not written yet. */
    async noted(keys: readonly string[]): Promise<(boolean | undefined)[]> {
      const stored = await canonicals.noted(keys);
      return keys.map((key, i) => {
        const notes = [gathered.notes, sent.notes].find((each) => each.has(key));
        return notes ? notes.get(key) : stored[i];
      });
    },
    /** Resolves when all changes are in the index, and their pages are marked. */
    async flush(): Promise<void> {
      await write();
      await underWay;
    },
    /** Resolves when the running transaction is complete. Collected changes are not written. */
    settled: (): Promise<void> => underWay,
  };
}

/** Marks rows. The mark of a page in the index names the batch whose fetch is indexed. Other pages have no mark. */
async function markRows(crawl: CrawlContext, marked: ReadonlyMap<string, boolean>): Promise<void> {
  await changeOrSend(crawl, 'index', [...marked.keys()], ['marks'], (rows) =>
    rows.map((row) => {
      if (!row || row.damaged) return undefined;
      const wanted = marked.get(row.key) ? (row.marks?.updatedb ?? 'y') : undefined;
      return row.marks?.index === wanted ? undefined : { key: row.key, marks: { index: wanted ?? null } };
    }),
  );
}
