import { withoutQuery } from './url-parameters.js';

/** A set of pages of a host: the pages below a path that ends with `/`, or the pages with a certain segment anywhere in the path. */
export interface Place {
  readonly host: string;
  readonly kind: 'prefix' | 'segment';
  readonly name: string;
}

export interface Located {
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

export const traitOf = ({ host, kind, name }: Place): string => `${kind} ${host} ${name}`;

/** @param depth maximum depth of prefixes; segments may have any depth */
export function* placesOf(host: string, path: string, depth: number): Generator<Place> {
  const segments = new Set<string>();
  let from = 0;
  for (let i = 0; ; i++) {
    const slash = path.indexOf('/', from);
    const segment = slash < 0 ? path.slice(from) : path.slice(from, slash);
    if (segment !== '' && !segments.has(segment)) {
      segments.add(segment);
      yield { host, kind: 'segment', name: segment };
    }
    if (slash < 0) return;
    if (i <= depth) yield { host, kind: 'prefix', name: path.slice(0, slash + 1) };
    from = slash + 1;
  }
}

/** Returns the pairs of places in which the URLs of two pages differ. The rest of both paths must be the same. */
export function* differences(one: Located, other: Located): Generator<readonly [from: Place, to: Place]> {
  if (queryOf(one.path) !== queryOf(other.path)) return;
  const isOneHost = one.host === other.host;
  if (!isOneHost && withoutWww(one.host) === withoutWww(other.host)) return;
  const [a, b] = [segmentsOf(one.path), segmentsOf(other.path)];
  let shared = 0;
  while (isOneHost && shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared += 1;
  let behind = 0;
  while (behind < Math.min(a.length, b.length) - shared && a.at(-1 - behind) === b.at(-1 - behind)) behind += 1;
  const [own, others] = [a.slice(0, a.length - behind), b.slice(0, b.length - behind)];
  const [mine, theirs] = [own.length - shared, others.length - shared];
  if (isOneHost && mine === 1 && theirs === 0) {
    yield [
      { host: one.host, kind: 'segment', name: own[shared]! },
      { host: other.host, kind: 'prefix', name: '/' },
    ];
  }
  // Two single pages are not sections. A section is never rejected in favour of a section inside it.
  if ((behind === 0 && a.length + b.length > 0) || (isOneHost && mine === 0)) return;
  const placeOf = (host: string, segments: readonly string[]): Place => ({
    host,
    kind: 'prefix',
    name: segments.length === 0 ? '/' : `/${segments.join('/')}/`,
  });
  yield [placeOf(one.host, own), placeOf(other.host, others)];
}

const queryOf = (path: string): string => path.slice(withoutQuery(path).length);

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice('www.'.length) : host);

/** The segments of a path, without empty segments at the end. */
function segmentsOf(path: string): string[] {
  const inside = withoutQuery(path).slice(1).replace(/\/+$/, '');
  return inside === '' ? [] : inside.split('/');
}

export function isWithin(place: Place, section: Place): boolean {
  if (place.host !== section.host || place.kind !== section.kind) return false;
  return section.kind === 'segment' ? place.name === section.name : place.name.startsWith(section.name);
}
