import { looksLikeId, originOf, parametersOf } from '../../url/index.js';

/** The pages of an origin whose URLs have random ids. */
interface PagesWithIds {
  pages: number;
  /** The URLs without the ids. */
  readonly addresses: Set<string>;
  /** Number of pages with an id in a parameter, by the name of the parameter. */
  readonly names: Map<string, number>;
  /** Whether not all addresses could be remembered. */
  isIncomplete: boolean;
}

/** Maximum number of remembered origins, of addresses of all origins together, and of parameter names of an origin. */
const MAX_ORIGINS = 256;
const MAX_ADDRESSES = 10_000;
const MAX_NAMES = 100;
/** Minimum number of addresses. The ids of things, as in `/item?id=…`, occur at fewer addresses. */
const MIN_ADDRESSES = 5;
/** Minimum number of pages for each address. */
const MIN_REPEATS = 10;
/** Maximum number of names in a report. */
const SHOWN = 5;

/** Finds session ids in the URLs of fetched pages by their random values, in bounded memory. */
export function createSessionIds() {
  const origins = new Map<string, PagesWithIds>();
  let addresses = 0;

  function pagesOf(origin: string): PagesWithIds | undefined {
    let known = origins.get(origin);
    if (known || origins.size >= MAX_ORIGINS) return known;
    known = { pages: 0, addresses: new Set(), names: new Map(), isIncomplete: false };
    origins.set(origin, known);
    return known;
  }

  return {
    /** Records that a page was fetched. */
    fetched(url: string): void {
      if (!url.includes('=')) return;
      const origin = originOf(url);
      let address = url.slice(origin.length);
      const names: string[] = [];
      for (;;) {
        const id = parametersOf(address).find(({ value }) => looksLikeId(value));
        if (!id) break;
        names.push(id.name);
        address = id.rest;
      }
      const known = names.length > 0 ? pagesOf(origin) : undefined;
      if (!known) return;
      known.pages += 1;
      for (const name of names) {
        const count = known.names.get(name);
        if (count !== undefined || known.names.size < MAX_NAMES) known.names.set(name, (count ?? 0) + 1);
      }
      if (known.addresses.has(address)) return;
      if (addresses < MAX_ADDRESSES) known.addresses.add(address);
      else known.isIncomplete = true;
      addresses += 1;
    },
    /** Returns the origin that has at least this number of pages with ids, if these are few pages under many URLs. */
    find(minPages: number) {
      for (const [origin, { pages, addresses: found, names, isIncomplete }] of origins) {
        if (pages < minPages || isIncomplete) continue;
        if (found.size < MIN_ADDRESSES || pages < MIN_REPEATS * found.size) continue;
        const frequent = [...names].filter(([, count]) => count * MIN_REPEATS >= pages).sort(([, a], [, b]) => b - a);
        const parameters = frequent.slice(0, SHOWN).map(([name]) => name);
        return { prefix: origin, pages, sessionIds: { parameters, addresses: found.size } };
      }
      return undefined;
    },
  };
}
