import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PageRow, Tracker } from '../../core/index.js';
import { isGzipName } from '../target/file-name.js';
import type { Part } from '../target/part-file.js';
import type { Target, TargetResult } from '../target/target.js';

export const JSON_LINES_ENDINGS = ['jsonl', 'ndjson', 'json', 'txt', 'gz'] as const;

const CHUNK_CHARACTERS = 65_536;
/** Of a gzip member. Programs read successive members as one stream. Large members compress better. */
const MEMBER_CHARACTERS = 1_048_576;

const compress = promisify(gzip);

interface TextFormat {
  readonly head: string;
  readonly record: (row: PageRow<never>) => string;
}

/** Writes rows as one text, compressed if its name ends in `.gz`. While one piece is compressed, the next piece is already made. */
export async function writeText(
  target: Target,
  name: string,
  rows: AsyncIterable<PageRow<never>>,
  { head, record }: TextFormat,
  tracker: Pick<Tracker, 'done' | 'aborted'>,
): Promise<TargetResult> {
  const part = await target.part(name);
  const isZipped = isGzipName(name);
  const size = isZipped ? MEMBER_CHARACTERS : CHUNK_CHARACTERS;
  let text = head;
  let waiting = 0;
  let pending: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const [piece, count] = [text, waiting];
    text = '';
    waiting = 0;
    await pending;
    if (!isZipped) return put(part, piece, count);
    pending = compress(piece).then((data) => put(part, data, count));
    // Prevents an unhandled rejection. The next `await` of the promise throws the error.
    pending.catch(() => undefined);
  }

  function put(part: Part, data: string | Uint8Array, count: number): Promise<void> {
    tracker.done(count);
    return part.write(data, count);
  }

  for await (const row of rows) {
    text += record(row);
    waiting += 1;
    if (text.length >= size) await flush();
  }
  if (!tracker.aborted) await flush();
  await pending;
  if (tracker.aborted) return 'stopped';
  await part.end();
  return {};
}
