import { open, type FileHandle } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import type { OnFetched } from '../../packages/webcrawl/internal.js';
import { CrawlError } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import type { TextSink } from '../io.js';
import { say } from './output.js';

/** Maximum number of characters that wait in memory for a slow reader, such as a pipe. */
const MAX_WAITING_CHARACTERS = 8_388_608;

export interface LogTarget {
  /** Absent: the log is written to standard error. */
  readonly file?: string;
}

interface PageLog extends AsyncDisposable {
  readonly onFetched: OnFetched;
  /** Whether the log is written to standard error. Then no other output is written there. */
  readonly isOnStderr: boolean;
}

export function addLogOption(command: Command): Command {
  return command.option(
    '--log <jsonl[:file]>',
    'write a line of JSON for each page, to standard error in place of the progress, or to the end of a file',
    logTarget,
  );
}

function logTarget(text: string): LogTarget {
  const [, file] = /^jsonl(?::(.+))?$/s.exec(text) ?? [];
  if (text !== 'jsonl' && file === undefined) throw new InvalidArgumentError('not jsonl or jsonl:<file>');
  return file === undefined ? {} : { file };
}

/**
 * Opens the log if the user has requested one; otherwise returns undefined. If a later write to its file fails, for example on a full disk,
 * the log ends with a message, and the crawl continues. If the reader of the log is too slow, lines are left out, and one line has their
 * number.
 * @throws CrawlError BAD_OUTPUT when the file cannot be opened
 */
export async function openPageLog({ io }: Cli, place: LogTarget | undefined): Promise<PageLog | undefined> {
  if (!place) return undefined;
  const { file } = place;
  if (file === undefined) {
    const lines = createLines(io.stderr);
    return {
      isOnStderr: true,
      onFetched: (page) => lines.write(lineOf(page)),
      [Symbol.asyncDispose]: async () => lines.end(),
    };
  }
  const stream = (await openFile(file)).createWriteStream();
  const lines = createLines(stream);
  let isOver = false;
  const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()));
  stream.on('error', (error) => {
    isOver = true;
    say(io, `The log ${file} ends here, and the crawl continues: ${error.message}`);
  });
  return {
    isOnStderr: false,
    onFetched(page) {
      if (!isOver) lines.write(lineOf(page));
    },
    async [Symbol.asyncDispose]() {
      if (!isOver) lines.end();
      stream.end();
      await closed;
    },
  };
}

/**
 * Makes a writer of lines that never waits. While the stream is full, up to {@link MAX_WAITING_CHARACTERS} characters wait in memory.
 * More lines are left out, and after the lines that waited comes one with their number.
 */
function createLines(sink: Pick<TextSink, 'write' | 'once'>) {
  let isFull = false;
  let waiting = 0;
  let leftOut = 0;

  function send(line: string): void {
    const isTaken = sink.write(line);
    if (!isFull && isTaken) return;
    waiting += line.length;
    if (isFull) return;
    isFull = true;
    sink.once('drain', () => {
      isFull = false;
      waiting = 0;
      end();
    });
  }

  function end(): void {
    if (leftOut === 0) return;
    const line = { time: new Date().toISOString(), notLogged: leftOut };
    leftOut = 0;
    send(`${JSON.stringify(line)}\n`);
  }

  return {
    write(line: string): void {
      if (waiting < MAX_WAITING_CHARACTERS) send(line);
      else leftOut += 1;
    },
    end,
  };
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'a');
  } catch (error) {
    throw new CrawlError('BAD_OUTPUT', `cannot write to ${file}: ${(error as Error).message}`, {
      hint: 'name a file in an existing folder that you may write to',
      cause: error,
    });
  }
}

function lineOf({ time, ...page }: Parameters<OnFetched>[0]): string {
  return `${JSON.stringify({ time: new Date(time).toISOString(), ...page })}\n`;
}
