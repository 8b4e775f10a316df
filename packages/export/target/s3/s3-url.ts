import { CrawlError, safeText } from '../../../errors/index.js';

/** A place in a store of the kind of S3. */
export interface S3Place {
  readonly bucket: string;
  /** Without `/` at its ends; empty for the whole bucket. */
  readonly key: string;
}

/** Whether an output names a place in a store of the kind of S3. */
export function isS3(output: string): boolean {
  return /^s3:\/\//i.test(output);
}

/**
 * Reads `s3://bucket/key`.
 * @throws CrawlError USAGE
 */
export function parseS3(output: string, kind: 'file' | 'folder'): S3Place {
  const [, bucket, rest = ''] = /^s3:\/\/([^/\s]+)(?:\/(.*))?$/is.exec(output) ?? [];
  const key = kind === 'folder' ? rest.replace(/\/+$/, '') : rest;
  // An empty name between two slashes is hard to write for most programs, and `..` is a name like any other there.
  const isKey = !/^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(key);
  if (bucket !== undefined && isKey && (kind === 'folder' || (key !== '' && !key.endsWith('/'))))
    return { bucket, key };
  throw new CrawlError('USAGE', `expected s3://<bucket>/<name of a ${kind}> as output, found ${safeText(output)}`, {
    hint: `for instance s3://my-bucket/exports/${kind === 'file' ? 'pages.jsonl.gz' : 'pages'}`,
  });
}
