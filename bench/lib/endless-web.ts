import type { FetchOutcome } from '../../packages/webcrawl/internal.js';
import { htmlAnswer, madePage, mix } from './made-page.js';

const PAGES_PER_HOST = 100;
const LINKS = 50;
const OWN_LINKS = 35;
const WORDS = 200;

/** The URL of a page. The name of its host contains the number of hosts, so that a page can be made from its URL alone. */
export function pageUrl(hosts: number, host: number, page: number): string {
  return `http://h${host}.n${hosts}.example/${page}`;
}

/** The answer for a page: of a hundred, 92 are pages with links, 4 are not found, 2 redirect and 2 fail temporarily. */
export function answerOf(host: string, path: string): FetchOutcome {
  const [, number = 0, hosts = 1] = (/^h(\d+)\.n(\d+)/.exec(host) ?? []).map(Number);
  const page = Number(path.slice(1));
  const seed = mix(number, page);
  // The front page of a host always exists.
  const lot = page === 0 ? 99 : seed % 100;
  if (lot < 4) return { kind: 'gone', code: 'not_found', http: 404 };
  if (lot < 6)
    return { kind: 'redirect', code: 'moved', http: 301, permanent: true, target: linkOf(hosts, number, seed) };
  if (lot < 8) return { kind: 'retry', code: 'server_error', http: 500 };
  const links = Array.from({ length: LINKS }, (_, i) =>
    i < OWN_LINKS ? linkOf(hosts, number, mix(seed, i)) : pageUrl(hosts, mix(seed, i) % hosts, 0),
  );
  return htmlAnswer(madePage(seed, links, WORDS));
}

/** Low numbers get more links, as pages near the front of a site do. */
function linkOf(hosts: number, host: number, random: number): string {
  const share = random / 2 ** 32;
  return pageUrl(hosts, host, Math.floor(share * share * PAGES_PER_HOST));
}
