import type { TargetFiles } from './files.js';
import type { ManifestHead, WholePart } from './journal.js';
import type { Totals } from './target.js';

/** The name of the manifest in a folder, and behind the name of a file. */
export const MANIFEST = 'manifest.json';
/** Parts written at a time. */
const TOGETHER = 1000;

/** Writes a manifest: what was exported, its sums, and the parts, a line each. It may have as many as there are hosts. */
export async function writeManifest(
  files: TargetFiles,
  path: string,
  head: ManifestHead,
  { parts: count, rows, bytes }: Totals,
  parts: AsyncIterable<WholePart>,
): Promise<void> {
  const text = JSON.stringify({ ...head, rows, bytes, partCount: count }, null, 2);
  await using handle = await files.open(path, 'w');
  let waiting = [`${text.slice(0, -2)},\n  "parts": [`];
  let written = 0;
  for await (const { name, rows, bytes, sha256 } of parts) {
    waiting.push(`${written === 0 ? '' : ','}\n    ${JSON.stringify({ name, rows, bytes, sha256 })}`);
    written += 1;
    if (waiting.length < TOGETHER) continue;
    await handle.appendFile(waiting.join(''));
    waiting = [];
  }
  await handle.appendFile(`${waiting.join('')}${written === 0 ? '' : '\n  '}]\n}\n`);
  await handle.sync();
}
