import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chunked, isBodyLost, type CrawlContext, type Tracker } from '../../core/index.js';
import { selectedRows, type ExportSelection } from '../pages/selected-rows.js';
import type { Target } from '../target/target.js';
import { KRAKE_FILES, contentRecord } from './formats.js';

export interface ContentPlace {
  readonly key: string;
  readonly offset: number;
}

const PAGES_AT_ONCE = 8;
/** A scratch file with a line `offset key` for each page, in key order. It is needed until the other files are written. */
const PLACES = 'places';

/**
 * Writes the content file. Counters: selected (processed rows), pages (in the content file), no_body, lost_body, damaged.
 * @returns true if the file is complete; false if the tracker was aborted
 */
export async function writeContents(
  crawl: CrawlContext,
  target: Target,
  selection: ExportSelection,
  tracker: Tracker,
): Promise<boolean> {
  const content = await target.part(KRAKE_FILES.content);
  const places = await target.scratch(PLACES);
  for await (const chunk of chunked(selectedRows(crawl, selection, ['status', 'content'], tracker), PAGES_AT_ONCE)) {
    const records = await Promise.all(chunk.map(async (row) => row.content && (await contentRecord(row.content))));
    for (const [i, row] of chunk.entries()) {
      const record = records[i];
      if (record) {
        await places.write(`${content.bytes} ${row.key}\n`);
        await content.write(record, 1);
        tracker.count('pages');
      } else if (!isBodyLost(row)) tracker.count('no_body');
    }
    tracker.count('selected', chunk.length);
    tracker.done(chunk.length);
  }
  if (tracker.aborted) return false;
  await content.end();
  await places.end();
  return true;
}

/** The locations of the pages, in key order. */
export async function* contentPlaces(target: Target): AsyncGenerator<ContentPlace> {
  const input = createReadStream(join(target.scratchFolder, PLACES), { encoding: 'latin1' });
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const space = line.indexOf(' ');
    yield { offset: Number(line.slice(0, space)), key: line.slice(space + 1) };
  }
}
