import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shardText, type JsonValue, type KeyRange, type Shard } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { selectorOf, type CrawlContext } from '../../jobs/index.js';
import { endingsOf } from '../target/file-name.js';
import { codeOf, noFolder } from '../target/files.js';
import type { ExportOptions } from '../target/run-export.js';
import { isS3 } from '../target/s3/s3-url.js';
import type { ExportSelection } from './selected-rows.js';

/** What one shard makes of an export. */
export interface ShardPart {
  /** Where it goes. */
  readonly output: string;
  /** The rows; absent: those of the selection. */
  readonly ranges?: readonly KeyRange[];
  /** What of it is in the identity and the manifest. */
  readonly identity: Readonly<Record<string, JsonValue>>;
}

/** How a format goes by shards. */
export interface ShardedFormat {
  /** What the name of a part ends in where the output is only a folder; empty for a format that makes folders. */
  readonly ending: string;
  /** All pages of a host go into one part. */
  readonly isByHost?: boolean;
}

/**
 * The part of an export that its shard makes: the pages between two keys, in an output of its own, so that all of them together, in
 * the order of the shards, are the export. They go by the same keys for as long as output and selection are the same: so one that is
 * made again fits the others. The folder of an output that ends in `/` is made.
 * @throws CrawlError USAGE for a limit, which no shard alone can keep; BAD_OUTPUT where the folder cannot be made
 */
export async function partOfShard(
  crawl: Pick<CrawlContext, 'tables' | 'plugins' | 'clock'>,
  { output, shard, ...selection }: Pick<ExportOptions, 'output'> & ExportSelection,
  { ending, isByHost = false }: ShardedFormat,
): Promise<ShardPart> {
  if (!shard) return { output, identity: {} };
  if (selection.limit !== undefined) {
    throw new CrawlError('USAGE', 'expected a limit or a shard, found both', {
      hint: 'a shard does not know how many pages come before its own',
    });
  }
  const { ranges: within } = selectorOf(crawl, selection);
  const name = `export ${JSON.stringify([output, within ?? null])}`;
  const ranges = await crawl.tables.splits.rangesOf(name, shard, crawl.clock(), {
    ...(within && { within }),
    isByHost,
  });
  if (output.endsWith('/') && !isS3(output)) await makeFolder(output);
  const identity = { shard: shardText(shard), keys: ranges.map((range) => ({ ...range })) };
  return { output: outputOfShard(output, shard, ending), ranges, identity };
}

/** @throws CrawlError USAGE where a shard is given to an export that is made as a whole */
export function refuseShard({ shard }: Pick<ExportSelection, 'shard'>, what: string, why: string): void {
  if (!shard) return;
  throw new CrawlError('USAGE', `expected ${what} to be exported as a whole, found a shard of it`, { hint: why });
}

/** `00002-of-00006`, which sorts parts as their pages come. */
export function shardName({ index, count }: Shard): string {
  return `${String(index).padStart(5, '0')}-of-${String(count).padStart(5, '0')}`;
}

/** With the shard before the endings: `pages-00002-of-00006.jsonl.gz` of `pages.jsonl.gz`, `pages/part-00002-of-00006.jsonl` of `pages/`. */
function outputOfShard(output: string, shard: Shard, ending: string): string {
  if (output === '-') return output;
  const name = shardName(shard);
  if (output.endsWith('/')) return `${output}part-${name}${ending}`;
  const endings = endingsOf(output);
  return `${output.slice(0, output.length - endings.length)}-${name}${endings}`;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw noFolder(dirname(path));
    // What is there and is no folder is refused when the output is made.
    if (codeOf(error) !== 'EEXIST') {
      throw new CrawlError('BAD_OUTPUT', `expected to make the folder ${path}, found ${String(codeOf(error))}`, {
        cause: error,
        hint: 'name a folder that can be written',
      });
    }
  }
}
