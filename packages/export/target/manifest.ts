import type { JsonValue } from '../../core/index.js';
import type { TargetFiles } from './files.js';

export interface WholePart {
  /** The path of the part, relative to the target, with `/` between folders. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256 of the part, in hex. */
  readonly sha256: string;
}

export type ManifestHead = Readonly<Record<string, JsonValue>>;

export interface Totals {
  parts: number;
  rows: number;
  bytes: number;
}

/** The name of the manifest in a folder. For a file, the manifest is beside the file, and its name ends in this name. */
export const MANIFEST = 'manifest.json';
const PARTS_PER_WRITE = 1000;

/**
 * Writes a manifest: a description of the export, its totals, and its parts, one part on each line. There may be very many parts, such as
 * one for each host.
 */
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
    if (waiting.length < PARTS_PER_WRITE) continue;
    await handle.appendFile(waiting.join(''));
    waiting = [];
  }
  await handle.appendFile(`${waiting.join('')}${written === 0 ? '' : '\n  '}]\n}\n`);
  await handle.sync();
}

/** The complete parts of a running export. The list is stored in a file, because it may be very long: for example one part for each host. */
export async function createPartList(files: TargetFiles, path: string) {
  const handle = await files.open(path, 'w+');
  const totals: Totals = { parts: 0, rows: 0, bytes: 0 };
  return {
    totals,
    async add(part: WholePart): Promise<void> {
      // JSON does not escape U+2028 and U+2029, but `readLines` would end a line there.
      const text = JSON.stringify(part).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
      await handle.appendFile(`${text}\n`);
      totals.parts += 1;
      totals.rows += part.rows;
      totals.bytes += part.bytes;
    },
    async *read(): AsyncGenerator<WholePart> {
      for await (const line of handle.readLines({ start: 0, autoClose: false })) yield JSON.parse(line) as WholePart;
    },
    close: () => handle.close(),
  };
}
