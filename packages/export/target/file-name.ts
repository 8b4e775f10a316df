import { CrawlError, safeText } from '../../errors/index.js';

/** Endings that tell people and programs the format of a file. A folder must not have such an ending. */
const ENDINGS: ReadonlySet<string> = new Set(
  (
    'jsonl ndjson json csv tsv txt md parquet xlsx html xml pdf png svg dot gv graphml gexf gml ' +
    'warc wacz cdx cdxj bin gz zip tar tgz zst bz2'
  ).split(' '),
);

/**
 * Returns the ending of a file name in lower case. A `.gz` after another ending is ignored: the ending of `pages.jsonl.gz` is `jsonl`.
 * Undefined: the name has no known ending.
 */
export function endingOf(output: string): string | undefined {
  const [, ending] = /[^/\\.]\.([a-z\d]+)$/.exec(output.toLowerCase()) ?? [];
  if (ending === undefined || !ENDINGS.has(ending)) return undefined;
  return ending === 'gz' ? (endingOf(output.slice(0, -'.gz'.length)) ?? ending) : ending;
}

export function isGzipName(output: string): boolean {
  return /\.gz$/i.test(output);
}

/**
 * Refuses a name that contradicts the format of an output, such as `archive.warc.gz` for a folder.
 * @param endings the results of {@link endingOf} that a file of this format may have; none for a folder
 * @throws CrawlError USAGE
 */
export function checkEnding(output: string, endings: readonly string[]): void {
  const ending = endingOf(output);
  if (ending === undefined || output === '-' || endings.includes(ending)) return;
  const [usual] = endings;
  const file = safeText(output, 200);
  throw usual === undefined
    ? new CrawlError('USAGE', `expected the name of a folder as output, found ${file}`, {
        hint: 'this export makes several files: give a name without such an ending',
      })
    : new CrawlError('USAGE', `expected a name that ends in .${usual} as output, found ${file}`, {
        hint: `the name of the file must fit its format: -o <name>.${usual}`,
      });
}
