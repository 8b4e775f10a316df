import { CrawlError } from '../../packages/errors/index.js';
import { writeEach } from '../pages/group-writer.js';
import type { PageChange, TextField } from '../pages/page.js';
import type { Pages } from '../pages/pages.js';
import { scanSteps } from '../scan-steps.js';
import type { Column, Store } from '../store.js';
import type { MigrationProgress } from './migrations.js';

/** Number of rows whose texts are read and written together. Each may have a text and links of a megabyte. */
const CHUNK = 50;

/** The columns of version 7 that are in text records since then. */
const OLD_COLUMNS: readonly (readonly [TextField, Column])[] = [
  ['outlinks', 'l:o'],
  ['headers', 'p:he'],
  ['headings', 'p:hd'],
  ['textRanges', 'p:tr'],
  ['text', 'p:tx'],
];
const COLUMNS = OLD_COLUMNS.map(([, column]) => column);

/**
 * Moves texts, links and headers from the rows into records of the content store, as version 8 has them. The cells of a row are removed
 * after its record is stored, so a row that was moved twice has the same fields. The disk needs space for all records, until the database
 * has compacted the removed cells. Rows that cannot be read stay as they are.
 */
export async function moveTexts(store: Store, pages: Pages, progress: MigrationProgress): Promise<void> {
  for await (const rows of scanSteps(store, 'webpage', COLUMNS, [{ start: '' }], CHUNK)) {
    if (progress.aborted) return;
    const found = rows.filter(({ damaged, cells }) => damaged === undefined && cells.size > 0);
    const changes = found.map(({ key, cells }): PageChange => {
      const encoded = OLD_COLUMNS.flatMap(([field, column]) => {
        const cell = cells.get(column);
        return cell ? [[field, cell] as const] : [];
      });
      return { key, encoded };
    });
    const outcomes = await writeEach((some: readonly PageChange[]) => pages.write(some), changes);
    const moved = changes.filter((_, i) => {
      const outcome = outcomes[i]!;
      if (outcome.status === 'fulfilled') return true;
      if (!(outcome.reason instanceof CrawlError) || outcome.reason.code !== 'TABLE_DAMAGED') throw outcome.reason;
      return false;
    });
    await store.write(
      'webpage',
      moved.map(({ key }) => ({ key, delete: COLUMNS })),
    );
    progress.count('texts', moved.length);
    progress.done(moved.length);
  }
}
