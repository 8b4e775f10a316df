import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { chunked, isBodyLost, type JsonValue } from '../../../webtable/index.js';
import type { CrawlContext, Tracker } from '../../jobs/index.js';
import type { ExportSizes } from '../pages/sizes.js';
import { selectedRows, type ExportSelection } from '../pages/selected-rows.js';
import type { Target } from '../target/target.js';
import { uncounted } from '../target/uncounted.js';
import { KRAKE_FILES, contentRecord } from './formats.js';

/** What became of the rows. */
export interface KrakeCounts {
  /** Rows that are through. */
  selected: number;
  /** Pages in the content file. */
  pages: number;
  no_body: number;
  lost_body: number;
  damaged: number;
}

/** How far the content file has got; what a checkpoint remembers. */
interface ContentState {
  readonly counts: KrakeCounts;
  readonly isWhole: boolean;
}

/** A page in the content file. */
export interface ContentPlace {
  readonly key: string;
  readonly offset: number;
}

/** Pages compressed at a time. */
const TOGETHER = 8;
/** `offset key`, a line for each page, in key order: needed until the rest is made. */
const PLACES = 'places';

/**
 * Writes the content file, going on where an earlier run was ended.
 * @returns `stopped` when the tracker is aborted
 */
export async function writeContents(
  crawl: CrawlContext,
  target: Target,
  selection: ExportSelection,
  tracker: Tracker,
  sizes: Pick<ExportSizes, 'checkpoint'>,
): Promise<KrakeCounts | 'stopped'> {
  const state = target.resumed?.state as unknown as ContentState | undefined;
  const counts = { selected: 0, pages: 0, no_body: 0, lost_body: 0, damaged: 0, ...state?.counts };
  tracker.add({ ...counts });
  if (state?.isWhole) return counts;
  const content = await target.part(KRAKE_FILES.content);
  const places = await target.scratch(PLACES);
  let lastKey = target.resumed?.lastKey;
  let safe = content.bytes;
  const checkpoint = async (isWhole: boolean): Promise<void> => {
    safe = content.bytes;
    const reached = { counts: { ...counts }, isWhole } satisfies ContentState as JsonValue;
    await target.checkpoint({ ...(lastKey !== undefined && { lastKey }), state: reached });
  };
  const count = (name: keyof KrakeCounts, n = 1): void => {
    counts[name] += n;
    tracker.count(name, n);
  };

  const from = { ...target, kept: { ...target.kept, rows: counts.selected } };
  const rows = selectedRows(crawl, selection, ['status', 'content'], from, uncounted(tracker));
  for await (const chunk of chunked(rows, TOGETHER)) {
    const records = await Promise.all(chunk.map(async (row) => row.content && (await contentRecord(row.content))));
    for (const [i, row] of chunk.entries()) {
      const record = records[i];
      if (isBodyLost(row)) count('lost_body');
      else if (row.damaged) count('damaged');
      if (record) {
        await places.write(`${content.bytes} ${row.key}\n`);
        await content.write(record, 1);
        count('pages');
      } else if (!isBodyLost(row)) count('no_body');
    }
    count('selected', chunk.length);
    tracker.done(chunk.length);
    lastKey = chunk.at(-1)!.key;
    if (content.bytes - safe >= sizes.checkpoint) await checkpoint(false);
  }
  if (tracker.aborted) {
    await checkpoint(false);
    return 'stopped';
  }
  await content.end();
  await places.end();
  await checkpoint(true);
  return counts;
}

/** Where the pages are, in key order. */
export async function* contentPlaces(target: Target): AsyncGenerator<ContentPlace> {
  const input = createReadStream(target.scratchPath(PLACES), { encoding: 'latin1' });
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const space = line.indexOf(' ');
    yield { offset: Number(line.slice(0, space)), key: line.slice(space + 1) };
  }
}
