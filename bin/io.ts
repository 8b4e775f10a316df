/** A stream that text or bytes are written to: standard output or error, or a stand-in for it. */
export interface TextSink {
  /** False when the caller should wait for `drain`. */
  write(data: string | Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** All that the command takes from its process. */
export interface Io {
  /** Data. */
  readonly stdout: TextSink;
  /** Messages and progress. */
  readonly stderr: TextSink;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the person asks to stop. */
  readonly signal: AbortSignal;
  /** The file that was started, for workers that are started by it. */
  readonly program: string;
}
