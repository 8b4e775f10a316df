import { CrawlError } from '../../packages/webcrawl/names.js';
import { library } from '../library.js';
import { openWithoutTable, type Cli } from '../cli.js';
import { isUrl, readBytes } from './input.js';
import { say } from '../output/output.js';
import type { Seeds } from './seeds.js';

/**
 * Adds the seeds of sitemaps. The URL of a sitemap becomes a seed, which the crawl fetches as a sitemap. A file is read here, and its URLs
 * come before the other seeds.
 * @throws CrawlError BAD_INPUT for a file that cannot be read or is not a sitemap
 */
export async function readSitemaps(
  cli: Cli,
  named: readonly string[],
  others: Seeds,
): Promise<{ readonly seeds: Seeds; readonly sitemaps: readonly string[] }> {
  const files = named.filter((name) => !isUrl(name));
  const sitemaps = named.filter(isUrl);
  if (files.length === 0) return { seeds: others, sitemaps };
  await using context = await openWithoutTable(cli);
  const pages: { url: string; file: string }[] = [];
  for (const file of files) {
    const { bodyLimit, readSitemap } = await library();
    const { bytes, truncated } = await readBytes(file, cli.io, bodyLimit(context.settings, true));
    const found = await readSitemap(context, bytes).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new CrawlError('BAD_INPUT', `${file}: ${why}`, { cause });
    });
    if (truncated || found.truncated) say(cli.io, `${file}: too large for a sitemap, so its end was ignored`);
    pages.push(...found.seeds.map((url) => ({ url, file })));
    sitemaps.push(...found.sitemaps);
  }
  async function* lines(): AsyncIterable<string> {
    for (const { url } of pages) yield url;
    yield* others.lines;
  }
  return {
    seeds: {
      lines: lines(),
      isArgument: (line) => line > pages.length && others.isArgument(line - pages.length),
      place: (line) => pages[line - 1]?.file ?? others.place(line - pages.length),
    },
    sitemaps,
  };
}
