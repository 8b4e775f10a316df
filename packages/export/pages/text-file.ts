import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PageRow } from '../../../webtable/index.js';
import type { Part } from '../target/part-file.js';
import type { Target, TargetResult } from '../target/target.js';
import type { Tracker } from '../../jobs/index.js';
import type { ExportSizes } from './sizes.js';

/** What the name of a file of JSON Lines may end in. */
export const JSON_LINES_ENDINGS = ['jsonl', 'ndjson', 'json', 'txt', 'gz'] as const;

/** Characters written at a time. */
const CHUNK = 65_536;
/** Characters of one member of gzip, which any reader takes as the next of one stream; large, so that little is lost by it. */
const MEMBER = 1_048_576;

const compress = promisify(gzip);

/** How rows become text. */
export interface TextFormat {
  /** What stands before the first row. */
  readonly head: string;
  /** One record with its end. */
  readonly record: (row: PageRow<never>) => string;
}

/** How text is written. */
export interface TextOptions {
  readonly gzip: boolean;
  readonly tracker: Pick<Tracker, 'done' | 'aborted'>;
  readonly sizes: ExportSizes;
}

/** Writes rows as one text. Where it is compressed, the next piece is made while one is being compressed. */
export async function writeText(
  target: Target,
  name: string,
  rows: AsyncIterable<PageRow<never>>,
  { head, record }: TextFormat,
  { gzip, tracker, sizes }: TextOptions,
): Promise<TargetResult> {
  const part = await target.part(name);
  const size = Math.min(gzip ? MEMBER : CHUNK, sizes.checkpoint);
  let text = part.bytes === 0 ? head : '';
  let waiting = 0;
  let sinceCheckpoint = 0;
  let pending: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const [piece, count] = [text, waiting];
    text = '';
    waiting = 0;
    sinceCheckpoint += piece.length;
    await pending;
    if (!gzip) return put(part, piece, count);
    pending = compress(piece).then((data) => put(part, data, count));
    // Whoever waits for it next sees the error.
    pending.catch(() => undefined);
  }

  function put(part: Part, data: string | Uint8Array, count: number): Promise<void> {
    tracker.done(count);
    return part.write(data, count);
  }

  for await (const row of rows) {
    text += record(row);
    waiting += 1;
    if (text.length < size) continue;
    await flush();
    if (sinceCheckpoint < sizes.checkpoint) continue;
    await pending;
    await target.checkpoint({ lastKey: row.key });
    sinceCheckpoint = 0;
  }
  if (tracker.aborted) {
    await pending;
    return 'stopped';
  }
  if (text !== '' || part.bytes === 0) await flush();
  await pending;
  await part.end();
  return {};
}
