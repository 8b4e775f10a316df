import { plainLine } from '../results/plain-text.js';
import type { ParsedQuery } from './parse-query.js';

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

/** Writes one part or operator. Quotation marks in the text become blanks, because they would begin a phrase when the text is parsed. */
function typed(isExcluded: boolean, name: string, text: string, isQuoted: boolean): string {
  const value = text.replaceAll('"', ' ');
  return `${isExcluded ? '-' : ''}${name}${isQuoted ? `"${value}"` : value}`;
}
