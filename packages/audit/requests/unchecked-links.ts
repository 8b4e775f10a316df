import type { NotChecked } from './link-requests.js';

export interface UncheckedLinks {
  readonly host: string;
  readonly why: string;
  readonly total: number;
  /** The first ten of them. */
  readonly urls: readonly string[];
}

const MAX_URLS = 10;
/** Maximum number of hosts that are listed, each with its reasons. Links to more hosts are counted under one name. */
const MAX_HOSTS = 1_000;
const OTHER_HOSTS = 'other hosts';

export function createUncheckedLinks() {
  const found = new Map<string, { host: string; why: string; total: number; urls: string[] }>();
  return {
    add(url: string, { host, why }: NotChecked): void {
      const name = found.has(`${host} ${why}`) || found.size < MAX_HOSTS ? host : OTHER_HOSTS;
      const key = `${name} ${why}`;
      const links = found.get(key) ?? { host: name, why, total: 0, urls: [] };
      links.total += 1;
      if (links.urls.length < MAX_URLS) links.urls.push(url);
      found.set(key, links);
    },
    all: (): readonly UncheckedLinks[] => [...found.values()],
  };
}
