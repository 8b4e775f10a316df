import { hostKeyOfRow, hostOfKey, type HostKey, type PageRow } from '../../../webtable/index.js';
import type { Part } from '../target/part-file.js';
import type { Target, TargetResult } from '../target/target.js';
import { fileOfHost } from './host-name.js';
import type { TextOptions } from './text-file.js';

/** Characters written at a time. */
const CHUNK = 65_536;

/** Writes a file per host. In key order the rows of a host follow one another, so one file is open at a time. */
export async function writeHostFiles(
  target: Target,
  rows: AsyncIterable<PageRow<never>>,
  record: (row: PageRow<never>) => string,
  { tracker, sizes }: Pick<TextOptions, 'tracker' | 'sizes'>,
): Promise<TargetResult> {
  let open: { readonly host: HostKey; readonly part: Part } | undefined;
  let lastKey = target.resumed?.lastKey;
  if (lastKey !== undefined) open = await openHost(target, lastKey);
  let text = '';
  let waiting = 0;
  const since = { characters: 0, hosts: 0 };

  async function flush(): Promise<void> {
    since.characters += text.length;
    tracker.done(waiting);
    if (waiting > 0) await open!.part.write(text, waiting);
    text = '';
    waiting = 0;
  }

  async function checkpoint(): Promise<void> {
    if (lastKey === undefined || (since.characters < sizes.checkpoint && since.hosts < sizes.hosts)) return;
    await target.checkpoint({ lastKey });
    Object.assign(since, { characters: 0, hosts: 0 });
  }

  for await (const row of rows) {
    if (open?.host !== hostKeyOfRow(row.key)) {
      await flush();
      await open?.part.end();
      since.hosts += 1;
      open = await openHost(target, row.key);
    }
    text += record(row);
    waiting += 1;
    lastKey = row.key;
    if (text.length < CHUNK && since.hosts < sizes.hosts) continue;
    await flush();
    await checkpoint();
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
