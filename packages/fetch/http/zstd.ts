import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** Makes a decoder of one zstd body. `lenient`: an input that ends early is no error, and output comes in small chunks. */
export type ZstdDecoder = (options: { readonly lenient?: boolean }) => ZstdStream;

type ZstdStream = Transform & { readonly bytesWritten: number };

interface ZstdOptions {
  readonly params: Readonly<Record<number, number>>;
  readonly finishFlush?: number;
  readonly chunkSize?: number;
}

/** `ZSTD_d_windowLogMax` */
const WINDOW_LOG_MAX = 100;
/** Each decoder holds a window in memory, as large as the frame asks for: RFC 9659 allows 8 MiB on the web. */
const LARGEST_WINDOW_LOG = 23;
/** `ZSTD_e_flush` */
const FLUSH = 1;

/** The zstd decoder of Node, from 22.15 on; undefined where there is none. */
export function zstdDecoder(): ZstdDecoder | undefined {
  const { createZstdDecompress: create } = zlib as typeof zlib & {
    readonly createZstdDecompress?: (options: ZstdOptions) => ZstdStream;
  };
  const params = { [WINDOW_LOG_MAX]: LARGEST_WINDOW_LOG };
  return (
    create && (({ lenient }) => create({ params, ...(lenient === true && { finishFlush: FLUSH, chunkSize: 256 }) }))
  );
}
