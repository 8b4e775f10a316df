import type { LeafType } from './leaves.js';

/**
 * Converts text from the environment or the command line to the type of a setting: a decimal number, `true`/`false`/`1`/`0`, a list with
 * commas, or a JSON object. Text of another form is returned unchanged, so that the schema rejects the text.
 */
export function fromText(type: LeafType, text: string): unknown {
  const word = text.trim();
  if (type.type === 'array') return word === '' ? [] : word.split(',').map((item) => item.trim());
  if (type.type === 'object') return word === '' ? {} : (parseJson(word) ?? text);
  if (type.type === 'boolean') return new Map<string, boolean>(BOOLEANS).get(word.toLowerCase()) ?? text;
  const numeric = type.anyOf ?? [type];
  if (!numeric.some(({ type }) => type === 'number' || type === 'integer')) return text;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const BOOLEANS = [
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
] as const;
