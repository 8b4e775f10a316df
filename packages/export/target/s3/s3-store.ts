import { createReadStream } from 'node:fs';
import { optionalPackage } from '../../../errors/index.js';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { Stopped } from '../files.js';
import { s3Error } from './s3-errors.js';

/** What an export notes at an object. */
export type ObjectNotes = Readonly<Record<string, string>>;

/** An object that is there. */
export interface FoundObject {
  readonly bytes: number;
  readonly notes: ObjectNotes;
}

/** The objects of a bucket. All methods throw CrawlError BAD_OUTPUT, USAGE; Stopped once the signal is aborted. */
export interface S3Store {
  head(key: string): Promise<FoundObject | undefined>;
  /** The keys that begin so, in their order. */
  list(prefix: string): AsyncGenerator<string>;
  put(key: string, text: string, notes: ObjectNotes): Promise<void>;
  /** Uploads a file in pieces; what an upload that was killed has left of it is removed first. */
  upload(key: string, path: string, bytes: number, notes: ObjectNotes): Promise<void>;
  remove(key: string): Promise<void>;
  close(): void;
}

/** What {@link openS3} takes. */
export interface S3Options {
  readonly signal?: AbortSignal | undefined;
  /** Is called for bytes that were uploaded. */
  readonly onUpload?: ((bytes: number) => void) | undefined;
}

/** Bytes of a piece. A store takes 10,000 of them at the most, so those of large files are larger. */
const PIECE = 8_388_608;
const PIECES = 10_000;
/** Pieces of a file that are under way at the same time; so many are in memory. */
const TOGETHER = 2;
/** Milliseconds until a store that does not answer counts as unreachable, and until a silent connection does. */
const WAIT = { connectionTimeout: 10_000, socketTimeout: 120_000 };
/** The region of a store where nothing names another; AWS then says where a bucket is, and others take any. */
const REGION = 'us-east-1';

/**
 * Opens a bucket with what the AWS SDK finds in the environment (`AWS_ENDPOINT_URL_S3`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and so on),
 * in its files, or from the machine.
 * @throws CrawlError MISSING_PACKAGE
 */
export async function openS3(bucket: string, { signal, onUpload }: S3Options = {}): Promise<S3Store> {
  const load = () => Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const [sdk, { Upload }] = await optionalPackage('@aws-sdk/client-s3 @aws-sdk/lib-storage', 'an S3 store', load);
  // Stores beside AWS have no host for each bucket.
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

  /** Pieces of uploads that were never ended are kept, and paid for, until somebody removes them. */
  async function removePieces(key: string): Promise<void> {
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
      partSize: Math.max(PIECE, Math.ceil(bytes / PIECES)),
      queueSize: TOGETHER,
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
          return { bytes: found.ContentLength ?? 0, notes: found.Metadata ?? {} };
        } catch (error) {
          if (error instanceof sdk.NotFound || error instanceof sdk.NoSuchKey) return undefined;
          throw error;
        }
      }),
    async *list(prefix) {
      let token: string | undefined;
      do {
        const page = await run(() =>
          client.send(
            new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
            abort,
          ),
        );
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },
    put: (key, text, notes) =>
      run(async () => {
        await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: text, Metadata: notes }), abort);
      }),
    upload: (key, path, bytes, notes) =>
      run(async () => {
        if (bytes > PIECE) await removePieces(key);
        const body = createReadStream(path, { highWaterMark: 1_048_576 });
        try {
          await send({ Key: key, Body: body, Metadata: notes }, bytes);
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
