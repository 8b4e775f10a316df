import { createReadStream } from 'node:fs';
import { optionalPackage } from '../../../errors/index.js';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { Stopped } from '../files.js';
import { listedKeys } from './listed-keys.js';
import { s3Error } from './s3-errors.js';

type ObjectMetadata = Readonly<Record<string, string>>;

interface FoundObject {
  readonly bytes: number;
  readonly metadata: ObjectMetadata;
}

/** The objects of a bucket. All methods throw CrawlError BAD_OUTPUT, USAGE; Stopped once the signal is aborted. */
export interface S3Store {
  head(key: string): Promise<FoundObject | undefined>;
  /** The keys with this prefix, in the order of the store. */
  list(prefix: string): AsyncGenerator<string>;
  put(key: string, text: string, metadata: ObjectMetadata): Promise<void>;
  /** Uploads a file in pieces. Pieces that a killed upload has left are removed first. */
  upload(key: string, path: string, bytes: number, metadata: ObjectMetadata): Promise<void>;
  remove(key: string): Promise<void>;
  close(): void;
}

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
export async function openS3(bucket: string, { signal, onUpload }: S3Options = {}): Promise<S3Store> {
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
    head: (key) =>
      run(async () => {
        try {
          const found = await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }), abort);
          return { bytes: found.ContentLength ?? 0, metadata: found.Metadata ?? {} };
        } catch (error) {
          if (error instanceof sdk.NotFound || error instanceof sdk.NoSuchKey) return undefined;
          throw error;
        }
      }),
    list: (prefix) =>
      listedKeys(bucket, (ContinuationToken) =>
        run(() =>
          client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken }), abort),
        ),
      ),
    put: (key, text, metadata) =>
      run(async () => {
        await client.send(
          new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: text, Metadata: metadata }),
          abort,
        );
      }),
    upload: (key, path, bytes, metadata) =>
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
    remove: (key) =>
      run(async () => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), abort);
      }),
    close: () => client.destroy(),
  };
}
