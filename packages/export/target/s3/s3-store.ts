import { createReadStream } from 'node:fs';
import { optionalPackage, CrawlError, safeText, messageOf } from '../../../errors/index.js';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { Stopped } from '../files.js';

type ObjectMetadata = Readonly<Record<string, string>>;

/** The objects of a bucket. All methods throw CrawlError BAD_OUTPUT, USAGE; Stopped once the signal is aborted. */
export type S3Store = Awaited<ReturnType<typeof openS3>>;

export interface S3Options {
  readonly signal?: AbortSignal | undefined;
  readonly onUpload?: ((bytes: number) => void) | undefined;
}

/** A store accepts at most 10,000 chunks of a file, so chunks of large files are larger. */
const MIN_CHUNK_BYTES = 8_388_608;
const PIECES = 10_000;
/** These are in memory. */
const PARALLEL_CHUNKS = 2;
/**
 * Limits in milliseconds: for making a connection, and for a connection on which nothing arrives. After either, the store counts as
 * unreachable.
 */
const WAIT = { connectionTimeout: 10_000, socketTimeout: 120_000 };
/** The default region. AWS then answers with the region of the bucket; other stores accept any region. */
const REGION = 'us-east-1';

/**
 * Opens a bucket. The AWS SDK finds address, region and keys in the environment (`AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`
 * and so on), in the files of the SDK, or from the machine.
 * @throws CrawlError MISSING_PACKAGE
 */
export async function openS3(bucket: string, { signal, onUpload }: S3Options = {}) {
  const load = () => Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const [sdk, { Upload }] = await optionalPackage('@aws-sdk/client-s3 @aws-sdk/lib-storage', 'an S3 store', load);
  // Other stores than AWS have no separate host for each bucket.
  const common = { forcePathStyle: true, followRegionRedirects: true, requestHandler: WAIT } as const;
  const given = new sdk.S3Client(common);
  const hasRegion = await given.config.region().then(Boolean, () => false);
  const client = hasRegion ? given : new sdk.S3Client({ ...common, region: REGION });
  const abort = signal && { abortSignal: signal };

  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new Stopped();
    try {
      return await task();
    } catch (cause) {
      if (signal?.aborted) throw new Stopped();
      throw s3Error(bucket, cause);
    }
  }

  /** Removes the pieces of unfinished uploads. The store would keep them, and charge for them. */
  async function removePieces(key: string, abort?: { abortSignal: AbortSignal }): Promise<void> {
    const { Uploads = [] } = await client.send(
      new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }),
      abort,
    );
    for (const { Key, UploadId } of Uploads) {
      if (Key !== key) continue;
      await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }), abort);
    }
  }

  async function send(params: Omit<PutObjectCommandInput, 'Bucket'>, bytes: number): Promise<void> {
    const upload = new Upload({
      client,
      params: { ...params, Bucket: bucket },
      partSize: Math.max(MIN_CHUNK_BYTES, Math.ceil(bytes / PIECES)),
      queueSize: PARALLEL_CHUNKS,
    });
    let sent = 0;
    upload.on('httpUploadProgress', ({ loaded = 0 }) => {
      if (loaded > sent) onUpload?.(loaded - sent);
      sent = Math.max(sent, loaded);
    });
    const stop = (): void => void upload.abort();
    signal?.addEventListener('abort', stop);
    try {
      await upload.done();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  return {
    head: (key: string): Promise<{ readonly bytes: number; readonly metadata: ObjectMetadata } | undefined> =>
      run(async () => {
        try {
          const found = await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }), abort);
          return { bytes: found.ContentLength ?? 0, metadata: found.Metadata ?? {} };
        } catch (error) {
          if (error instanceof sdk.NotFound || error instanceof sdk.NoSuchKey) return undefined;
          throw error;
        }
      }),
    /** The keys with this prefix, in the order of the store. */
    list: (prefix: string): AsyncGenerator<string> =>
      listedKeys(bucket, (ContinuationToken) =>
        run(() =>
          client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken }), abort),
        ),
      ),
    put: (key: string, text: string, metadata: ObjectMetadata): Promise<void> =>
      run(async () => {
        await client.send(
          new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: text, Metadata: metadata }),
          abort,
        );
      }),
    /** Uploads a file in pieces. Pieces that a killed upload has left are removed first. */
    upload: (key: string, path: string, bytes: number, metadata: ObjectMetadata): Promise<void> =>
      run(async () => {
        if (bytes > MIN_CHUNK_BYTES) await removePieces(key, abort);
        const body = createReadStream(path, { highWaterMark: 1_048_576 });
        try {
          await send({ Key: key, Body: body, Metadata: metadata }, bytes);
        } catch (error) {
          // A stopped upload rejects before its pieces are removed. If the removal of the pieces fails now, the next export to this key
          // removes them.
          if (signal?.aborted && bytes > MIN_CHUNK_BYTES) await removePieces(key).catch(() => undefined);
          throw error;
        } finally {
          body.destroy();
        }
      }),
    remove: (key: string): Promise<void> =>
      run(async () => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), abort);
      }),
    close: () => client.destroy(),
  };
}

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

const KNOWN: readonly (readonly [names: RegExp, found: string, hint: string])[] = [
  [/^NoSuchBucket$/, 'no bucket of this name', 'make the bucket, or set AWS_ENDPOINT_URL_S3 to the store that has it'],
  [
    /^(CredentialsProviderError|CredentialsError)$/,
    'no key for the store',
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ],
  [
    /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidClientTokenId|ExpiredToken|TokenRefreshRequired|AuthFailure)$/,
    'a key that the store does not accept',
    'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
  ],
  [
    /^(AccessDenied|AllAccessDisabled|AccountProblem|403|Forbidden)$/,
    'no permission',
    'the key needs s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucketMultipartUploads and s3:AbortMultipartUpload',
  ],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    'a bucket of another region',
    'set AWS_REGION to the region of the bucket',
  ],
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError|CERT_.*|.*_CERT.*)$/,
    'a store that cannot be reached',
    'check AWS_ENDPOINT_URL_S3 and the network, and run the same command again',
  ],
  [
    /^(ECONNRESET|EPIPE|InternalError|ServiceUnavailable|SlowDown|5\d\d|RequestTimeout|IncompleteBody)$/,
    'a store that ended the connection',
    'run the same command again',
  ],
];

function s3Error(bucket: string, cause: unknown): CrawlError {
  if (cause instanceof CrawlError) return cause;
  const names = [...namesOf(cause)];
  const [, found, hint] = KNOWN.find(([known]) => names.some((name) => known.test(name))) ?? [];
  const said = safeText([...new Set([...names.slice(0, 2), messageOf(cause)])].join(': '), 300);
  return new CrawlError(
    'BAD_OUTPUT',
    `expected to write to the bucket ${safeText(bucket)}, found ${found === undefined ? said : `${found} (${said})`}`,
    { hint: hint ?? 'run the same command again', cause },
  );
}

interface SdkError extends Error {
  readonly code?: string;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Every name that an error has, then the names of its nested errors. */
function* namesOf(error: unknown): Generator<string> {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const { code, Code, $metadata } = at as SdkError;
    for (const name of [Code, code, at.name, $metadata?.httpStatusCode]) {
      if (name !== undefined && name !== 'Error') yield String(name);
    }
    if (at instanceof AggregateError) for (const inner of at.errors as unknown[]) yield* namesOf(inner);
  }
}
