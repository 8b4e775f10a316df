import { CrawlError, safeText } from '../../errors/index.js';

/** What names of files end in, by which people and programs know what is in them. No folder is named so. */
const ENDINGS: ReadonlySet<string> = new Set(
  (
    'jsonl ndjson json csv tsv txt parquet xlsx html xml pdf png svg dot gv graphml gexf gml ' +
    'warc wacz cdx cdxj bin gz zip tar tgz zst bz2'
  ).split(' '),
);

/** The ending of the name of a file, in small letters, before `.gz` where there is another one; undefined where it has none that is known. */
export function endingOf(output: string): string | undefined {
  const [, ending] = /[^/\\.]\.([a-z\d]+)$/.exec(output.toLowerCase()) ?? [];
  if (ending === undefined || !ENDINGS.has(ending)) return undefined;
  return ending === 'gz' ? (endingOf(output.slice(0, -'.gz'.length)) ?? ending) : ending;
}

/** The known endings of the name of a file as they stand there, `.jsonl.gz`; empty where it has none. */
export function endingsOf(output: string): string {
  return endingOf(output) === undefined ? '' : (/\.[a-z\d]+(\.gz)?$/i.exec(output)?.[0] ?? '');
}

/**
 * Refuses a name that says of an output what it is not, such as `archive.warc.gz` of a folder.
 * @param endings those of {@link endingOf} that a file of this format may have; none: it is a folder
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
        hint: `the file would not be what its name says: -o <name>.${usual}`,
      });
}
