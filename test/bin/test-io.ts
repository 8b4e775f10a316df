import type { Io, TextSink } from '../../bin/io.js';
import { run } from '../../bin/run.js';

/** A stream that keeps all text written to it. */
export class Sink implements TextSink {
  text = '';
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** The number of writes after which it is full until the next turn of the event loop. */
  full = Infinity;
  waits = 0;

  constructor(options: { isTTY?: boolean; columns?: number } = {}) {
    Object.assign(this, options);
  }

  write(data: string | Uint8Array): boolean {
    this.text += typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
    return --this.full > 0;
  }

  once(_event: 'drain', listener: () => void): void {
    this.waits++;
    setImmediate(listener);
  }
}

export interface TestIo extends Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stop: AbortController;
}

export function testIo(options: { stdin?: readonly (string | Uint8Array)[]; env?: Io['env'] } = {}): TestIo {
  const stop = new AbortController();
  async function* stdin() {
    yield* options.stdin ?? [];
  }
  return {
    stdout: new Sink(),
    stderr: new Sink(),
    stdin: stdin(),
    env: options.env ?? {},
    signal: stop.signal,
    program: 'webcrawl.js',
    stop,
  };
}

/** Runs a command line in this process. Returns its exit code and its output. */
export async function runLine(args: readonly string[], io: TestIo = testIo()) {
  const code = await run(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}
