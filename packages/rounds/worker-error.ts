import { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../errors/index.js';
import type { Pass, WorkerExit } from './runner.js';

/** Makes the error that ends the rounds because a worker failed. It has the code and the message of the worker's error. */
export function workerError({ step, count }: Pass, { shard, exitCode, message = '' }: WorkerExit): CrawlError {
  const [, code = '', text] = /^error \[(\w+)\]: (.*)$/m.exec(message) ?? [];
  const [, hint] = /^hint: (.*)$/m.exec(message) ?? [];
  const who = `the worker of ${step} on shard ${shard}/${count}`;
  const isKnown = Object.hasOwn(ERROR_CODES, code) && text !== undefined;
  const what = isKnown ? text : lastLine(message);
  return new CrawlError(
    isKnown ? (code as ErrorCode) : 'WORKER_FAILED',
    `${who} ended with ${exitCode ?? 'a signal'}${what === '' ? '' : `: ${safeText(what, 500)}`}`,
    {
      hint:
        hint === undefined ? 'run the command of the worker with this shard yourself to see more' : safeText(hint, 500),
    },
  );
}

/** Makes the error that ends the rounds because workers were restarted too often. */
export function exhaustedError({ step, count }: Pass, left: readonly WorkerExit[]): CrawlError {
  const names = left.map(({ shard }) => `${shard}/${count}`).join(', ');
  const message = left.map(({ message = '' }) => lastLine(message)).find((line) => line !== '') ?? '';
  return new CrawlError(
    'WORKER_FAILED',
    `the workers of ${step} on ${names} were restarted too often, and did not finish` +
      (message === '' ? '' : `; the last line of one worker: ${safeText(message, 500)}`),
    {
      hint: 'find out what stops or kills the workers, then run the same command again: it continues with the open batch',
    },
  );
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
