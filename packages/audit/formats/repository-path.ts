import { CrawlError, safeText, tryParseUrl } from '../../core/index.js';

export interface MappedFolder {
  /** The common beginning of the URLs of these pages, with `/` at its end. */
  readonly url: string;
  /** The folder, with `/` at its end; empty for the root of the repository. */
  readonly folder: string;
}

/**
 * Parses `https://example.com/docs/=site/docs/`: pages below this URL have their files in this folder of the repository. The last `=`
 * separates the URL from the folder.
 * @throws CrawlError USAGE
 */
export function parseMap(text: string): MappedFolder {
  const at = text.lastIndexOf('=');
  const url = tryParseUrl(text.slice(0, Math.max(at, 0)));
  const folder = text.slice(at + 1);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (at < 0 || !url || !isWeb || url.search !== '' || url.hash !== '') throw wrongMap(text);
  const steps = folder.split('/').filter((step) => step !== '' && step !== '.');
  if (/^[/\\]|^[a-z][a-z0-9+.-]*:/i.test(folder) || steps.includes('..')) throw wrongMap(text);
  return { url: withSlash(`${url.origin}${url.pathname}`), folder: steps.map((step) => `${step}/`).join('') };
}

function wrongMap(text: string): CrawlError {
  return new CrawlError('USAGE', `expected a map such as https://example.com/=site/, found "${safeText(text)}"`, {
    hint: 'a URL without a query, then =, then a folder within the repository',
  });
}

/**
 * Returns the file of a page as a relative URI for SARIF. The longest matching map is used, and a URL of a folder becomes its `index.html`.
 * For a page without a matching map, the URI is its host and path.
 */
export function repositoryPath(url: string, map: readonly MappedFolder[]): string {
  const parsed = tryParseUrl(url);
  if (!parsed) return `unknown/${relativeUri(safeText(url)) || 'page'}`;
  const page = `${parsed.origin}${parsed.pathname}`;
  let best: MappedFolder | undefined;
  for (const each of map) {
    const fits = page.startsWith(each.url) || withSlash(page) === each.url;
    if (fits && each.url.length > (best?.url.length ?? 0)) best = each;
  }
  const path = best ? best.folder + page.slice(best.url.length) : parsed.host + parsed.pathname;
  return relativeUri(path === '' || path.endsWith('/') ? `${path}index.html` : path);
}

function withSlash(text: string): string {
  return text.endsWith('/') ? text : `${text}/`;
}

/** Returns text as the path of a relative URI. The result cannot be read as an absolute URI, or as a URI with another host. */
function relativeUri(path: string): string {
  const whole = path.replace(/\p{Cs}/gu, '').replace(/%(?![0-9a-f]{2})/gi, '%25');
  return whole.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=@/%]+/g, encodeURIComponent).replace(/^\/+/, '');
}
