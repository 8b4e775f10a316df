import { unexpectedAnswer } from './errors.js';

/** Reads parts of an answer, which may hold anything: a proxy, or another program, may have made it. */
export interface AnswerReader {
  /** @throws CrawlError STORE_FAILED where it is no finite number, also as digits */
  number(value: unknown, byDefault: number): number;
  /** @throws CrawlError STORE_FAILED where it is no text */
  text(value: unknown): string;
  /** @throws CrawlError STORE_FAILED where it is no list of objects */
  list(value: unknown): readonly Readonly<Record<string, unknown>>[];
  /** A part of an object; undefined where the object is none. */
  at(value: unknown, ...path: readonly (string | number)[]): unknown;
}

/**
 * Makes the reader of an answer.
 * @param name of the index, for people
 * @param expected what the answer is to hold, for people
 */
export function answerReader(name: string, expected: string): AnswerReader {
  const bad = (): never => {
    throw unexpectedAnswer(name, expected);
  };
  return {
    number(value, byDefault) {
      if (value === undefined || value === null) return byDefault;
      const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
      const found = Number(value);
      return isNumber && Number.isFinite(found) ? found : bad();
    },
    text: (value) => (typeof value === 'string' ? value : bad()),
    list: (value) => (Array.isArray(value) && value.every(isObject) ? value : bad()),
    at: (value, ...path) =>
      path.reduce<unknown>(
        (found, part) => (isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined),
        value,
      ),
  };
}

/** Whether a value of JSON is an object or a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
