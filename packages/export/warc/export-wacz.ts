import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { optionalPackage } from '../../errors/index.js';
import type { CrawlContext, Report } from '../../jobs/index.js';
import { VERSION } from '../../util/index.js';
import type { ExportSizes } from '../pages/sizes.js';
import { refuseShard } from '../pages/shard-part.js';
import type { Part } from '../target/part-file.js';
import type { Target } from '../target/target.js';
import { exportArchive, type ExportArchiveOptions } from './export-warc.js';
import { PAGES_HEAD } from './page-list.js';
import { sortedLines } from './sorted-lines.js';
import type { Archive } from './write-archive.js';
import { zippedIndex } from './zipped-index.js';

const WACZ_VERSION = '1.1.1';
const BLOCKS = 'index.cdx.gz';

/**
 * A time that a ZIP gets in UTC. It has no time zone, and client-zip writes the local time, which would make each machine another file.
 */
class ZipTime extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear();
  }

  override getMonth(): number {
    return this.getUTCMonth();
  }

  override getDate(): number {
    return this.getUTCDate();
  }

  override getHours(): number {
    return this.getUTCHours();
  }

  override getMinutes(): number {
    return this.getUTCMinutes();
  }

  override getSeconds(): number {
    return this.getUTCSeconds();
  }
}

/** A file of the package, as `datapackage.json` lists it. */
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Writes the selected pages into one WACZ file (1.1.1): the WARC files of {@link exportWarc}, stored; an index in gzip blocks; and a
 * list of the HTML pages with their titles. Meanwhile it needs twice its size on the disk. It takes the package client-zip.
 *
 * Counters: as `exportWarc`.
 * @param sizes only tests need others than the defaults
 * @throws CrawlError MISSING_PACKAGE where client-zip is not installed; USAGE where the output is `-`, or for a shard; BAD_OUTPUT, STORE_FULL, and as `exportWarc`
 */
export async function exportWacz(
  crawl: CrawlContext,
  options: ExportArchiveOptions,
  sizes?: Pick<ExportSizes, 'checkpoint'>,
): Promise<Report> {
  refuseShard(options, 'WACZ', 'it is one file with one index; webcrawl export warc goes by shards');
  const { makeZip: zip } = await optionalPackage('client-zip', 'WACZ', () => import('client-zip'));
  const begin = (target: Target, name: string): Promise<Part> => target.scratch(name);
  return exportArchive(
    crawl,
    options,
    { name: 'wacz', kind: 'file', endings: ['wacz', 'zip'], begin, sizes },
    async (target, archive, workFolder) => {
      const file = await target.part(basename(options.output));
      // What is written has the time of the latest record: the clock would make each run another file.
      const lastModified = new ZipTime(Math.max(Date.parse(archive.latest) || 0, Date.UTC(1980, 0, 2)));
      const pieces = zip(entries(target, archive, workFolder, lastModified)) as unknown as Bytes;
      for await (const piece of pieces) {
        options.signal?.throwIfAborted();
        await file.write(piece);
      }
      await file.write('', archive.counts.pages);
      await file.end();
    },
  );
}

/** The files of the package, one after the other; the last ones list those before with their digests. */
async function* entries(target: Target, archive: Archive, workFolder: string, lastModified: Date) {
  const resources: Resource[] = [];
  const entry = (path: string, input: Bytes) => ({ name: path, input: hashed(path, input, resources), lastModified });

  for (const name of archive.files) {
    const from = target.scratchPath(name);
    yield { ...entry(`archive/${name}`, createReadStream(from)), size: (await stat(from)).size };
  }
  const { blocks, idx } = zippedIndex(sortedLines(archive.linesPath, workFolder), BLOCKS);
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

/** The same bytes; at their end they are noted as a resource. */
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
