import { hostKeyOfRow, hostOfKey, type HostKey, type PageRow, type Tracker } from '../../core/index.js';
import type { Part } from '../target/part-file.js';
import type { Target, TargetResult } from '../target/target.js';
import { fileOfHost } from '../target/host-name.js';

const CHUNK_CHARACTERS = 65_536;

/** Writes one file for each host. Rows of a host are consecutive in key order, so only one file is open at a time. */
export async function writeHostFiles(
  target: Target,
  rows: AsyncIterable<PageRow<never>>,
  record: (row: PageRow<never>) => string,
  tracker: Pick<Tracker, 'done' | 'aborted'>,
): Promise<TargetResult> {
  let open: { readonly host: HostKey; readonly part: Part } | undefined;
  let text = '';
  let waiting = 0;

  async function flush(): Promise<void> {
    tracker.done(waiting);
    if (waiting > 0) await open!.part.write(text, waiting);
    text = '';
    waiting = 0;
  }

  for await (const row of rows) {
    if (open?.host !== hostKeyOfRow(row.key)) {
      await flush();
      await open?.part.end();
      open = await openHost(target, row.key);
    }
    text += record(row);
    waiting += 1;
    if (text.length >= CHUNK_CHARACTERS) await flush();
  }
  if (tracker.aborted) return 'stopped';
  await flush();
  await open?.part.end();
  return {};
}

async function openHost(target: Target, key: string): Promise<{ readonly host: HostKey; readonly part: Part }> {
  const host = hostKeyOfRow(key);
  return { host, part: await target.part(fileOfHost(hostOfKey(host))) };
}
