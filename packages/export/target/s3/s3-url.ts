import { CrawlError, safeText } from '../../../errors/index.js';

export function isS3(output: string): boolean {
  return /^s3:\/\//i.test(output);
}

/**
 * Reads `s3://bucket/key`. The key is that of a file, or the prefix of a folder, without `/` at either end; empty: the whole bucket.
 * @throws CrawlError USAGE
 */
export function parseS3(output: string, kind: 'file' | 'folder') {
  const [, bucket, rest = ''] = /^s3:\/\/([^/\s]+)(?:\/(.*))?$/is.exec(output) ?? [];
  const key = kind === 'folder' ? rest.replace(/\/+$/, '') : rest;
  // Most programs cannot write an empty name between two slashes, and `..` has no special meaning in a key.
  const isKey = !/^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(key);
  if (bucket !== undefined && isKey && (kind === 'folder' || (key !== '' && !key.endsWith('/'))))
    return { bucket, key };
  throw new CrawlError('USAGE', `expected s3://<bucket>/<name of a ${kind}> as output, found ${safeText(output)}`, {
    hint: `for instance s3://my-bucket/exports/${kind === 'file' ? 'pages.jsonl.gz' : 'pages'}`,
  });
}
