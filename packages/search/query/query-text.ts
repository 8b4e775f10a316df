import { plainLine } from '../results/plain-text.js';
import type { ParsedQuery } from './parse-query.js';

/** A query as it would be typed. */
export function queryText({ parts, operators }: Pick<ParsedQuery, 'parts' | 'operators'>): string {
  const words = parts.map(({ text, isPhrase, isExcluded, field }) => {
    const name = field === undefined ? '' : field === 'title' ? 'intitle:' : 'inurl:';
    return typed(isExcluded, name, text, isPhrase);
  });
  const narrowing = operators.map(({ name, value, isExcluded }) =>
    typed(isExcluded, `${name}:`, value, /\s/.test(value)),
  );
  return plainLine([...words, ...narrowing].join(' '));
}

/** A quote in the text of a part was typed amid a word; it would begin a phrase here. */
function typed(isExcluded: boolean, name: string, text: string, isQuoted: boolean): string {
  const value = text.replaceAll('"', ' ');
  return `${isExcluded ? '-' : ''}${name}${isQuoted ? `"${value}"` : value}`;
}
