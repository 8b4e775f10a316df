/** A stream for text or bytes: standard output, standard error, or a replacement in tests. */
export interface TextSink {
  /** Returns false if the caller should wait for `drain`. */
  write(data: string | Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that the command uses of its process. */
export interface Io {
  /** For data. */
  readonly stdout: TextSink;
  /** For messages and progress. */
  readonly stderr: TextSink;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user stops the command. */
  readonly signal: AbortSignal;
  /** Path of the script that was started. Workers are started with the same script. */
  readonly program: string;
}
