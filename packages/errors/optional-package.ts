import { CrawlError } from './crawl-error.js';

/**
 * Loads a package that is installed only by who needs it.
 * @param spec what `npm install` is to be given
 * @param load imports it
 * @throws CrawlError MISSING_PACKAGE with the line that installs it, where it is missing
 */
export async function optionalPackage<T>(spec: string, what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new CrawlError('MISSING_PACKAGE', `expected the package that ${what} needs, found none`, {
      hint: `npm install ${spec}`,
      cause,
    });
  }
}
