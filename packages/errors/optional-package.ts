import { CrawlError } from './crawl-error.js';

/**
 * Loads a package that only some users install.
 * @param spec the argument for `npm install`
 * @param load imports the package
 * @throws CrawlError MISSING_PACKAGE with the command that installs the package, if the package is missing
 */
export async function optionalPackage<T>(spec: string, what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new CrawlError('MISSING_PACKAGE', `a package that ${what} needs is not installed`, {
      hint: `npm install ${spec}`,
      cause,
    });
  }
}
