import type { SearchHit, SearchResult } from '../../packages/webcrawl/internal.js';
import { number, oneLine, quantity } from './output.js';

interface SearchTextOptions {
  readonly isBold: boolean;
  readonly limit: number;
}

const BOLD = '\u001b[1m';
const PLAIN = '\u001b[22m';

export function searchText(
  { total, page, pages, hits, didYouMean, isApproximate, seconds }: SearchResult,
  { isBold, limit }: SearchTextOptions,
): string {
  const blocks = hits.map((hit, i) => hitText(hit, (page - 1) * limit + i + 1, isBold));
  const more = page < pages ? `; --page ${page + 1} shows more` : '';
  const place =
    hits.length === 0
      ? total > 0 && page > 1
        ? `, page ${page} has none; there are ${pages}`
        : ''
      : `, page ${page} of ${pages}${more}`;
  const about = isApproximate ? ' (very many: the best of a sample)' : '';
  const foot = `${quantity(total, 'page')} found${about} in ${number(seconds, 2)} s${place}\n`;
  const other = didYouMean === undefined ? '' : `Did you mean: ${oneLine(didYouMean)}\n`;
  return `${blocks.join('')}${foot}${other}`;
}

function hitText({ url, title, snippet, alike, moreFromHost }: SearchHit, place: number, isBold: boolean): string {
  const marked = snippet
    .map(({ text, hit }) => (hit && isBold ? `${BOLD}${oneLine(text)}${PLAIN}` : oneLine(text)))
    .join('');
  const folded = [
    ...(alike === undefined ? [] : [`${quantity(alike, 'page')} nearly the same`]),
    ...(moreFromHost === undefined ? [] : [`${number(moreFromHost)} more of this host`]),
  ];
  const lines = [
    oneLine(title),
    oneLine(url),
    ...(marked === '' ? [] : [marked]),
    ...(folded.length === 0 ? [] : [`(${folded.join(', ')}: --no-fold)`]),
  ];
  const indent = ' '.repeat(String(place).length + 2);
  return `${lines.map((line, i) => `${i === 0 ? `${place}. ` : indent}${line}\n`).join('')}\n`;
}
