import { CrawlError, batchesLeft, safeText, type CrawlContext } from '../core/index.js';

/** A named moment. Changes after it can be read. The name begins with a letter, followed by up to 99 letters, digits and `._-`. */
export interface MarkedMoment {
  readonly name: string;
  /** When the mark was set, in ms since the epoch. */
  readonly at: number;
}

const NAME = /^[a-z][\w.-]{0,99}$/i;
/** Names that mean a moment without a mark. */
const TAKEN: ReadonlySet<string> = new Set(['now']);

/**
 * Stores the present moment under a name. A mark of the same name is moved to this moment. Changes of a batch that updatedb has not closed
 * yet come after the mark. The first mark ends the baseline of the table.
 * @throws CrawlError USAGE for an invalid name, for more than 1,000 marks, and if changes are not logged
 */
export async function mark(crawl: CrawlContext, name: string): Promise<MarkedMoment> {
  checkName(name);
  if (crawl.settings.db.changesKeptDays === 0) {
    throw new CrawlError('USAGE', 'expected a table whose changes are logged, found db.changesKeptDays of 0', {
      hint: 'set db.changesKeptDays to the days for which changes are to be kept',
    });
  }
  const { changes } = crawl.tables;
  const { at } = await changes.mark(name, crawl.clock(), await batchesLeft(crawl.tables));
  return { name, at };
}

/** Returns the marks, the oldest first. */
export async function marks({ tables }: Pick<CrawlContext, 'tables'>): Promise<readonly MarkedMoment[]> {
  const { marks = [] } = await tables.changes.state();
  return marks.map(({ name, at }) => ({ name, at })).sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
}

/**
 * Removes a mark.
 * @returns whether a mark of this name existed
 * @throws CrawlError USAGE for an invalid name
 */
export function unmark({ tables }: Pick<CrawlContext, 'tables'>, name: string): Promise<boolean> {
  checkName(name);
  return tables.changes.unmark(name);
}

function checkName(name: string): void {
  if (typeof name === 'string' && NAME.test(name) && !TAKEN.has(name)) return;
  throw new CrawlError('USAGE', `expected the name of a mark, found "${safeText(String(name), 100)}"`, {
    hint: 'a name begins with a letter, followed by up to 99 letters, digits, dots, hyphens or underscores; "now" is reserved',
  });
}
