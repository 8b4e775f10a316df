import type { IndexDocument } from '../../core/index.js';

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
  modifiedAt: isTime,
  rank: Number.isFinite,
};

/** Fields that may be in the answer of a filter, but are not changed by it. */
const KEPT: ReadonlySet<string> = new Set(['key', 'url']);

/**
 * Checks the answer of an index filter, and returns `refused` or the changes of the filter. The check is needed because a filter may be
 * plain JavaScript, and its answer is sent to other threads and servers.
 * @throws TypeError for a result that is not an answer of an index filter
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
