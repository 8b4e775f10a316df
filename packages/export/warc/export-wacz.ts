import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { optionalPackage } from '../../errors/index.js';
import type { JobContext, Report } from '../../core/index.js';
import { VERSION } from '../../util/index.js';
import type { Part } from '../target/part-file.js';
import type { Target } from '../target/target.js';
import { exportArchive, type ExportArchiveOptions } from './export-warc.js';
import { PAGES_HEAD } from './page-list.js';
import type { Archive } from './write-archive.js';
import { gzipSync } from 'node:zlib';
import { spacedJson } from './cdxj.js';

const WACZ_VERSION = '1.1.1';
const BLOCKS = 'index.cdx.gz';

/**
 * A time that is stored in UTC in a ZIP. A ZIP has no time zone, and client-zip writes the local time. So without this class, each machine
 * would make a different file.
 */
class ZipTime extends Date {
  override getFullYear = (): number => this.getUTCFullYear();
  override getMonth = (): number => this.getUTCMonth();
  override getDate = (): number => this.getUTCDate();
  override getHours = (): number => this.getUTCHours();
  override getMinutes = (): number => this.getUTCMinutes();
  override getSeconds = (): number => this.getUTCSeconds();
}

interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Writes the selected pages into one WACZ file (1.1.1): the WARC files of {@link exportWarc}, not compressed again; an index in gzip
 * blocks; and a list of the HTML pages with their titles. The export needs disk space of twice the size of the file, and the package
 * client-zip.
 *
 * Counters: as `exportWarc`.
 * @throws CrawlError MISSING_PACKAGE when client-zip is not installed; USAGE for the output `-`; BAD_OUTPUT, STORE_FULL,
 * and as `exportWarc`
 */
export async function exportWacz(crawl: JobContext, options: ExportArchiveOptions): Promise<Report> {
  const { makeZip: zip } = await optionalPackage('client-zip', 'WACZ', () => import('client-zip'));
  const begin = (target: Target, name: string): Promise<Part> => target.scratch(name);
  return exportArchive(
    crawl,
    options,
    { name: 'wacz', kind: 'file', endings: ['wacz', 'zip'], begin },
    async (target, archive) => {
      const file = await target.part(basename(options.output));
      // All entries have the time of the latest record. With the present time, each run would make a different file.
      const lastModified = new ZipTime(Math.max(Date.parse(archive.latest) || 0, Date.UTC(1980, 0, 2)));
      const pieces = zip(entries(target, archive, lastModified)) as unknown as Bytes;
      for await (const piece of pieces) {
        options.signal?.throwIfAborted();
        await file.write(piece);
      }
      await file.write('', archive.pages);
      await file.end();
    },
  );
}

/** Returns the files of the package in order. The last files list the others with their digests. */
async function* entries(target: Target, archive: Archive, lastModified: Date) {
  const resources: Resource[] = [];
  const entry = (path: string, input: Bytes) => ({ name: path, input: hashed(path, input, resources), lastModified });

  for (const name of archive.files) {
    const from = join(target.scratchFolder, name);
    yield { ...entry(`archive/${name}`, createReadStream(from)), size: (await stat(from)).size };
  }
  const { blocks, idx } = zippedIndex(archive.lines.sorted(), BLOCKS);
  yield entry(`indexes/${BLOCKS}`, blocks);
  yield entry('indexes/index.idx', textOf(idx()));
  yield entry('pages/pages.jsonl', joined(textOf(PAGES_HEAD), createReadStream(archive.pagesPath)));

  const datapackage = prettyJson({
    profile: 'data-package',
    wacz_version: WACZ_VERSION,
    software: `webcrawl ${VERSION}`,
    created: lastModified.toISOString(),
    resources,
  });
  const hash = `sha256:${createHash('sha256').update(datapackage).digest('hex')}`;
  yield { name: 'datapackage.json', input: datapackage, lastModified };
  yield { name: 'datapackage-digest.json', input: prettyJson({ path: 'datapackage.json', hash }), lastModified };
}

/** Passes on the bytes of a file. After the last byte, it adds the file to the resources. */
async function* hashed(path: string, input: Bytes, resources: Resource[]): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of input) {
    hash.update(piece);
    bytes += piece.length;
    yield piece;
  }
  resources.push({ name: basename(path), path, hash: `sha256:${hash.digest('hex')}`, bytes });
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* joined(...inputs: readonly Bytes[]): AsyncGenerator<Uint8Array> {
  for (const input of inputs) yield* input;
}

function prettyJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

const LINES_PER_BLOCK = 300;

/**
 * A sorted CDXJ index in blocks, and the index of these blocks, in the form of WACZ (1.1.1, section 5.2.2). Each block is a gzip member. The
 * index of the blocks takes half a megabyte of memory for a million lines.
 * @param name of the file of the blocks
 */
export function zippedIndex(lines: AsyncIterable<Buffer>, name: string) {
  const entries = [`!meta 0 ${spacedJson({ format: 'cdxj-gzip-1.0', filename: name })}\n`];
  let offset = 0;
  const zip = (block: readonly Buffer[]): Buffer => {
    const bytes = gzipSync(Buffer.concat(block));
    // A key may contain a brace, but no space.
    const [prefix] = block[0]!.toString('latin1').split(' {', 1);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    // Offset and length are numbers here, but texts in the lines of the index. Other programs write them in the same way.
    entries.push(`${prefix} ${spacedJson({ offset, length: bytes.length, digest })}\n`);
    offset += bytes.length;
    return bytes;
  };
  return {
    /** The blocks in order. Read them to the end before `idx`. */
    blocks: (async function* (): AsyncGenerator<Buffer> {
      let block: Buffer[] = [];
      for await (const line of lines) {
        block.push(Buffer.from(line));
        if (block.length < LINES_PER_BLOCK) continue;
        yield zip(block);
        block = [];
      }
      if (block.length > 0) yield zip(block);
    })(),
    /** Returns, for each block, the key of its first line, and the location of the block in the file. */
    idx: (): string => entries.join(''),
  };
}
