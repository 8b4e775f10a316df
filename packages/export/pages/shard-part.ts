import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shardText, type JsonValue, type KeyRange, type Shard, type CrawlContext } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';
import { selectorOf } from '../../answers/index.js';
import { endingsOf } from '../target/file-name.js';
import { codeOf, noFolder } from '../target/files.js';
import type { ExportOptions } from '../target/run-export.js';
import { isS3 } from '../target/s3/s3-url.js';
import type { ExportSelection } from './selected-rows.js';

interface ShardPart {
  readonly output: string;
  /** The key ranges of the rows in this part. Absent: the ranges of the selection. */
  readonly ranges?: readonly KeyRange[];
  /** The description of the part in the manifest. */
  readonly about: Readonly<Record<string, JsonValue>>;
}

interface ShardedFormat {
  /** The ending of the names of parts if the output ends in `/`. Empty for a format that makes folders. */
  readonly ending: string;
  /** Put all pages of a host into one part. */
  readonly isByHost?: boolean;
}

/**
 * The part of an export for a shard: the pages between two keys, in an output of its own. All parts together, in the order of the shards,
 * are the whole export. The keys stay the same while output and selection are the same, so a part that is made again fits the others. If
 * the output ends in `/`, this folder is created.
 * @throws CrawlError USAGE for a limit, because a shard alone cannot apply it; BAD_OUTPUT when the folder cannot be created
 */
export async function partOfShard(
  crawl: Pick<CrawlContext, 'tables' | 'plugins'>,
  { output, shard, ...selection }: Pick<ExportOptions, 'output'> & ExportSelection,
  { ending, isByHost = false }: ShardedFormat,
): Promise<ShardPart> {
  if (!shard) return { output, about: {} };
  if (selection.limit !== undefined) {
    throw new CrawlError('USAGE', 'expected a limit or a shard, found both', {
      hint: 'a shard does not know how many pages the shards before it have',
    });
  }
  const { ranges: within } = await selectorOf(crawl, selection);
  const name = `export ${JSON.stringify([output, within ?? null])}`;
  const ranges = await crawl.tables.splits.rangesOf(name, shard, { ...(within && { within }), isByHost });
  if (output.endsWith('/') && !isS3(output)) await makeFolder(output);
  const about = { shard: shardText(shard), keys: ranges.map((range) => ({ ...range })) };
  return { output: outputOfShard(output, shard, ending), ranges, about };
}

/** @throws CrawlError USAGE for a shard */
export function refuseShard({ shard }: Pick<ExportSelection, 'shard'>, what: string, why: string): void {
  if (!shard) return;
  throw new CrawlError('USAGE', `expected ${what} to be exported as a whole, found a shard of it`, { hint: why });
}

/** The name of a shard, such as `00002-of-00006`. Sorted by name, the shards are in the order of their pages. */
export function shardName({ index, count }: Shard): string {
  return `${String(index).padStart(5, '0')}-of-${String(count).padStart(5, '0')}`;
}

/**
 * Inserts the shard before the endings: `pages.jsonl.gz` becomes `pages-00002-of-00006.jsonl.gz`, `pages/` becomes
 * `pages/part-00002-of-00006.jsonl`.
 */
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
    // If the path exists and is not a folder, it is refused later, when the output is made.
    if (codeOf(error) !== 'EEXIST') {
      throw new CrawlError('BAD_OUTPUT', `expected to make the folder ${path}, found ${String(codeOf(error))}`, {
        cause: error,
        hint: 'name a folder that can be written',
      });
    }
  }
}
