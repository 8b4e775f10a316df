import { CrawlError, safeText } from '../../../errors/index.js';

export interface ListedPage {
  readonly Contents?: readonly { readonly Key?: string | undefined }[] | undefined;
  readonly NextContinuationToken?: string | undefined;
}

/** Together, these pages of a listing have ten million objects. */
const MAX_PAGES = 10_000;
const MAX_EMPTY_PAGES = 100;

/**
 * The keys of a listing, page by page.
 * @param read reads the page of a token; undefined means the first page
 * @throws CrawlError BAD_OUTPUT for an endless listing: the listing repeats a page, has too many pages without objects, or has more pages
 * than the files of any export need
 */
export async function* listedKeys(
  bucket: string,
  read: (token: string | undefined) => Promise<ListedPage>,
): AsyncGenerator<string> {
  let token: string | undefined;
  let empty = 0;
  for (let pages = 1; ; pages += 1) {
    const { Contents = [], NextContinuationToken: next } = await read(token);
    for (const { Key } of Contents) if (Key !== undefined) yield Key;
    if (next === undefined) return;
    empty = Contents.length === 0 ? empty + 1 : 0;
    if (next === token) throw endless(bucket, 'one that names the same page again');
    if (empty > MAX_EMPTY_PAGES)
      throw endless(bucket, `${MAX_EMPTY_PAGES} pages without an object, one after the other`);
    if (pages >= MAX_PAGES) throw endless(bucket, `more than ${MAX_PAGES} pages`);
    token = next;
  }
}

function endless(bucket: string, found: string): CrawlError {
  return new CrawlError(
    'BAD_OUTPUT',
    `expected a listing of the bucket ${safeText(bucket)} that ends, found ${found}`,
    {
      hint: 'name a target with fewer objects, or ask the operator of the store: its listings may be broken',
    },
  );
}
