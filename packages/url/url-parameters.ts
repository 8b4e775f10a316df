/**
 * A parameter that distinguishes URLs of a host. In the query, it is `sort` in `/list?sort=up`, or the name before a bracket: `f` in
 * `?f[0]=red&f[1]=big`. In the path, it is `sid` in `/list;sid=1`.
 */
export interface Parameter {
  readonly place: 'query' | 'brackets' | 'path';
  /** The name as written in URLs, with escapes. Of a name with brackets, only the part before the brackets. */
  readonly name: string;
}

export interface GivenParameter extends Parameter {
  /** The text after the `=`, which may be empty. If the name occurs several times, this is the first value. */
  readonly value: string;
  readonly rest: string;
}

/** Maximum length of a name. Longer names are ignored, because a pattern has a maximum length. */
const MAX_NAME_LENGTH = 100;
/** Maximum number of parameters of one URL to examine. */
const MAX_PARAMETERS = 16;

const BRACKET = /\[|%5b/i;

/** The parameter in a piece such as `sort=up` or `f%5B0%5D=red`. Undefined: the piece has no name. */
function parameterIn(place: 'query' | 'path', piece: string): Parameter | undefined {
  const equals = piece.indexOf('=');
  const name = equals < 0 ? piece : piece.slice(0, equals);
  const bracket = place === 'query' ? name.search(BRACKET) : -1;
  const found: Parameter = bracket > 0 ? { place: 'brackets', name: name.slice(0, bracket) } : { place, name };
  return found.name === '' || found.name.length > MAX_NAME_LENGTH ? undefined : found;
}

export const keyOfParameter = ({ place, name }: Parameter): string => `${place} ${name}`;

interface Piece {
  readonly parameter: Parameter | undefined;
  readonly key: string;
  /** The character before the piece: `?`, `&` or `;`. */
  readonly before: string;
  readonly text: string;
}

/**
 * Returns the pieces of path and query that may be parameters: `;name=value` in a segment, and the parts of the query between `&` or `;`.
 */
function* piecesOf(path: string): Generator<Piece> {
  const mark = path.indexOf('?');
  const end = mark < 0 ? path.length : mark;
  let at = path.indexOf(';');
  for (const place of ['path', 'query'] as const) {
    if (place === 'query') at = mark;
    const limit = place === 'path' ? end : path.length;
    const stop = place === 'path' ? /[;/?]/g : /[&;]/g;
    while (at >= 0 && at < limit) {
      stop.lastIndex = at + 1;
      const next = Math.min(stop.exec(path)?.index ?? limit, limit);
      const text = path.slice(at + 1, next);
      const parameter = parameterIn(place, text);
      yield { parameter, key: parameter ? keyOfParameter(parameter) : '', before: path[at]!, text };
      // If the segment ends here, the next parameter begins at a `;` in a later segment.
      at = place === 'path' && path[next] !== ';' ? path.indexOf(';', next) : next;
    }
  }
}

export function parameterKeysOf(path: string): Set<string> {
  const keys = new Set<string>();
  if (!/[?;]/.test(path)) return keys;
  for (const { key } of piecesOf(path)) if (key !== '') keys.add(key);
  return keys;
}

export function parametersOf(path: string): GivenParameter[] {
  if (!/[?;]/.test(path)) return [];
  const pieces = [...piecesOf(path)];
  const given = new Map<string, GivenParameter>();
  for (const { parameter, key, text } of pieces) {
    if (given.size === MAX_PARAMETERS) break;
    if (!parameter || given.has(key)) continue;
    const equals = text.indexOf('=');
    given.set(key, { ...parameter, value: equals < 0 ? '' : text.slice(equals + 1), rest: without(path, pieces, key) });
  }
  return [...given.values()];
}

function without(path: string, pieces: readonly Piece[], key: string): string {
  const mark = path.indexOf('?');
  if (key.startsWith('path ')) {
    const text = pieces.find((piece) => piece.key === key)!.text;
    return path.replace(`;${text}`, '');
  }
  let query = '';
  for (const { key: each, before, text } of pieces.filter((piece) => piece.parameter?.place !== 'path')) {
    if (each === key) continue;
    query += query === '' ? `?${text}` : `${before}${text}`;
  }
  return path.slice(0, mark) + query;
}
