import type { EncodedFields } from '../../../webtable/index.js';
import type { ParseResult } from '../parsing/parse-page.js';

type CutLinks = Readonly<Record<string, number>>;

/**
 * What a parse that is stored changes in the number of links that rules have cut, by id.
 * @param before of the row
 */
export function cutDifferences(
  before: CutLinks | undefined,
  { parsed, encoded }: Pick<ParseResult, 'parsed' | 'encoded'>,
): CutLinks {
  if (!parsed) return {};
  const after = cutLinksOf(encoded);
  const differences: Record<string, number> = { ...after };
  for (const [id, n] of Object.entries(before ?? {})) differences[id] = (differences[id] ?? 0) - n;
  return differences;
}

function cutLinksOf(encoded: EncodedFields): CutLinks {
  const cell = encoded.get('cutLinks');
  return cell ? (JSON.parse(Buffer.from(cell).toString('utf8')) as CutLinks) : {};
}
