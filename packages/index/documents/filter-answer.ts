import type { IndexDocument, IndexFilter } from '../../plugin-api/index.js';

/** What a filter may change of a page. */
type Changes = Partial<Omit<IndexDocument, 'key' | 'url' | 'fingerprint'>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => Number.isSafeInteger(value);

const CHECKS: Readonly<Record<keyof Changes, (value: unknown) => boolean>> = {
  title: isText,
  headings: isText,
  anchors: isText,
  text: isText,
  language: isText,
  fetchedAt: isTime,
  modifiedTime: isTime,
  rank: Number.isFinite,
};

/** Parts of a page that are given back as they were given, and stay. */
const KEPT: ReadonlySet<string> = new Set(['key', 'url']);

/**
 * What an index filter says of a page: `refused`, or what it changes. A filter of a plugin may be plain JavaScript, and what it
 * returns goes to other threads and servers.
 * @throws TypeError where it is no answer of an {@link IndexFilter}
 */
export function checkFilterAnswer(answer: unknown): 'refused' | Changes {
  if (answer === true) return {};
  if (answer === false || typeof answer === 'string') return 'refused';
  if (typeof answer !== 'object' || answer === null || 'then' in answer)
    throw new TypeError('expected true, false, a reason or changed fields');
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (KEPT.has(name)) continue;
    if (!Object.hasOwn(CHECKS, name) || !CHECKS[name as keyof Changes](value))
      throw new TypeError(`expected fields of a document, found ${name} of type ${typeof value}`);
    changes[name] = value;
  }
  return changes;
}
