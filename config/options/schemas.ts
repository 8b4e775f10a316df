import { z } from 'zod';

// The allowed values of options. Each message says what is expected, as in "expected depth to be <message>".

function one(what: string, isOne: (value: unknown) => boolean) {
  return z.custom<unknown>(isOne, what);
}

export function listOf(schema: z.ZodType, what: string) {
  return z.array(schema, `a list of ${what}`);
}

const isWhole = (value: unknown, least: number): boolean =>
  value === Infinity || (Number.isSafeInteger(value) && (value as number) >= least);
const hasIterator = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || value instanceof String) return false;
  const { [Symbol.iterator]: each, [Symbol.asyncIterator]: eachLater } = value as Partial<
    Iterable<unknown> & AsyncIterable<unknown>
  >;
  return typeof each === 'function' || typeof eachLater === 'function';
};

export const text = one('a string that is not empty', (value) => typeof value === 'string' && value !== '');
/** Any string. The function that parses it reports errors. */
export const string = one('a string', (value) => typeof value === 'string');
/** The id of a batch. The job checks whether the batch exists. */
export const batch = one('the id of a batch', (value) => typeof value === 'string');
export const flag = one('true or false', (value) => typeof value === 'boolean').optional();
export const number = one('a number', Number.isFinite).optional();
export const notNegative = one(
  'a number of at least 0',
  (value) => Number.isFinite(value) && (value as number) >= 0,
).optional();
export const positive = one('a number above 0', (value) => typeof value === 'number' && value > 0).optional();
export const moment = one(
  'a time in ms since the epoch, or the name of a mark',
  (value) => Number.isFinite(value) || (typeof value === 'string' && value !== ''),
).optional();
/** A whole number of at least 1, or Infinity, which means no limit. */
export const count = one('a whole number of at least 1', (value) => isWhole(value, 1)).optional();
export const fromZero = one('a whole number of at least 0', (value) => isWhole(value, 0)).optional();
export const callback = one('a function', (value) => typeof value === 'function').optional();
export const flagOrCallback = one('true, false or a function', (value) =>
  ['boolean', 'function'].includes(typeof value),
).optional();
export const lines = one('strings in a list or a stream', hasIterator);
export const patterns = listOf(text, 'patterns').optional();
export const oneOf = (names: readonly string[]) => z.enum(names as [string, ...string[]]);
export const signal = one(
  'an AbortSignal',
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
).optional();
export const shard = one('a shard, as parseShard gives it', (value) => {
  const { index, count } = (value ?? {}) as { readonly index?: unknown; readonly count?: unknown };
  return (
    Number.isSafeInteger(index) && Number.isSafeInteger(count) && 0 <= Number(index) && Number(index) < Number(count)
  );
}).optional();
/** Any value. The function that uses it checks it. */
export const anything = z.unknown().optional();

export function someOf(schema: z.ZodType, what: string) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), listOf(schema, what)).optional();
}
