/**
 * A parameter by which URLs of a host differ: of the query, `sort` in `/list?sort=up`; all with one name before a bracket, `f` in
 * `?f[0]=red&f[1]=big`; or of the path, `sid` in `/list;sid=1`.
 */
export interface Parameter {
  readonly place: 'query' | 'brackets' | 'path';
  /** As URLs spell it, escapes included; of several with brackets what is before these. */
  readonly name: string;
}

/** A parameter as one URL has it. */
export interface GivenParameter extends Parameter {
  /** All that comes after the `=`, perhaps nothing; of several with the same name that of the first. */
  readonly value: string;
  /** Path and query without it, as a link without it would be. */
  readonly rest: string;
}

/** Longer names are not looked at; a pattern has an end. */
const LONGEST_NAME = 100;
/** Parameters of one URL that are looked at. */
const MOST_PARAMETERS = 16;

const BRACKET = /\[|%5b/i;

/** The name of a piece such as `sort=up` or `f%5B0%5D=red`; undefined for one that has none. */
function parameterIn(place: 'query' | 'path', piece: string): Parameter | undefined {
  const equals = piece.indexOf('=');
  const name = equals < 0 ? piece : piece.slice(0, equals);
  const bracket = place === 'query' ? name.search(BRACKET) : -1;
  const found: Parameter =
    bracket > 0 ? { place: 'brackets', name: name.slice(0, bracket) } : { place, name };
  return found.name === '' || found.name.length > LONGEST_NAME ? undefined : found;
}

/** Tells parameters from each other, for maps. */
export const keyOfParameter = ({ place, name }: Parameter): string => `${place} ${name}`;

interface Piece {
  readonly parameter: Parameter | undefined;
  readonly key: string;
  /** What is before it: `?`, `&` or `;`. */
  readonly before: string;
  readonly text: string;
}

/** What a path and query consist of: `;name=value` in a segment, and pieces of the query between `&` or `;`. */
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
      // After a segment of the path the next one may have some, too.
      at = place === 'path' && path[next] !== ';' ? path.indexOf(';', next) : next;
    }
  }
}

/** The keys of all parameters of a path and query, each once. */
export function parameterKeysOf(path: string): Set<string> {
  const keys = new Set<string>();
  if (!/[?;]/.test(path)) return keys;
  for (const { key } of piecesOf(path)) if (key !== '') keys.add(key);
  return keys;
}

/** The first parameters of a path and query, each once. */
export function parametersOf(path: string): GivenParameter[] {
  if (!/[?;]/.test(path)) return [];
  const pieces = [...piecesOf(path)];
  const given = new Map<string, GivenParameter>();
  for (const { parameter, key, text } of pieces) {
    if (given.size === MOST_PARAMETERS) break;
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

/** The path alone. */
export function withoutQuery(path: string): string {
  const mark = path.indexOf('?');
  return mark < 0 ? path : path.slice(0, mark);
}

/** Text as it is in a regular expression. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** What is before the path in any URL of a host: a rule is of the host already, and of all of its ports and schemes. */
export const ANY_ORIGIN = '^https?://[^/]+';

/** A pattern for the URLs that have a parameter, in whatever place among others, and for no others. It runs in linear time. */
export function patternOf({ place, name }: Parameter): string {
  if (place === 'path') return `^[^?]*;${literal(name)}(?:[=;/?]|$)`;
  const before = '^[^?]*\\?(?:.*[&;])?';
  return place === 'query' ? `${before}${literal(name)}(?:[=&;]|$)` : `${before}${literal(name)}(?:\\[|%5[Bb])`;
}

/** A parameter as people name it. */
export function shownParameter({ place, name }: Parameter): string {
  return place === 'path' ? `;${name}` : place === 'query' ? name : `${name}[…]`;
}
