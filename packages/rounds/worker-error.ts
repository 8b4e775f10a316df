import { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../errors/index.js';
import type { Pass, WorkerExit } from './runner.js';

/** The error that ends the rounds because a worker cannot do its work, with the code and the words of that worker. */
export function workerError({ step, count }: Pass, { shard, exitCode, message = '' }: WorkerExit): CrawlError {
  const [, code = '', text] = /^error \[(\w+)\]: (.*)$/m.exec(message) ?? [];
  const [, hint] = /^hint: (.*)$/m.exec(message) ?? [];
  const who = `the worker of ${step} on shard ${shard}/${count}`;
  const isKnown = Object.hasOwn(ERROR_CODES, code) && text !== undefined;
  const what = isKnown ? text : lastLine(message);
  return new CrawlError(
    isKnown ? (code as ErrorCode) : 'WORKER_FAILED',
    `${who} ended with ${exitCode ?? 'a signal'}${what === '' ? '' : `: ${safeText(what, 500)}`}`,
    { hint: hint === undefined ? 'run the same command with the shard by hand to see more' : safeText(hint, 500) },
  );
}

/** The error where workers were started again and again in vain. */
export function exhaustedError({ step, count }: Pass, left: readonly WorkerExit[]): CrawlError {
  const names = left.map(({ shard }) => `${shard}/${count}`).join(', ');
  const message = left.map(({ message = '' }) => lastLine(message)).find((line) => line !== '') ?? '';
  return new CrawlError(
    'WORKER_FAILED',
    `the workers of ${step} on ${names} were started again and again, and did not come to their end` +
      (message === '' ? '' : `; the last word of one: ${safeText(message, 500)}`),
    { hint: 'see what holds or kills them, then run the same command again: it goes on with the batch under way' },
  );
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
