import { describe, expect, it } from 'vitest';
import { statusVerdict } from '../../packages/fetch/index.js';
import { redirectTarget } from '../../packages/fetch/http/http-headers.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface StatusCase {
  readonly input: number | string;
  readonly expected: { readonly crawlStatus: string };
}
interface LocationCase {
  readonly input: { readonly url: string; readonly location: string | null };
  readonly expected: string | null;
}

/** Deliberate deviations from the reference: our page status, and the reason. */
const STATUS_DEVIATIONS: Readonly<Record<string, { readonly ours: string; readonly reason: string }>> = {
  201: { ours: 'fetched', reason: 'a 2xx has a page that people see' },
  202: { ours: 'fetched', reason: 'a 2xx has a page that people see' },
  203: { ours: 'fetched', reason: 'a 2xx has a page that people see' },
  204: { ours: 'fetched', reason: 'an empty page is no failure' },
  206: { ours: 'fetched', reason: 'a 2xx has a page that people see' },
  305: { ours: 'retry', reason: 'it names a proxy, and not where the page is' },
};

/** In addition: if a Location is no URL, Nutch fails and retries, and we have a redirect without a target. */
const LOCATION_DEVIATIONS: Readonly<Record<string, { readonly ours: string | null; readonly reason: string }>> = {
  null: { ours: null, reason: 'a redirect without Location leads nowhere, not to itself' },
  '?q=1': { ours: 'http://a/b/c?q=1', reason: 'the URL Standard keeps the path under a query' },
};

/** Cases that are decided elsewhere: by the network layer, by robots.txt, or by the fetch job. */
const ELSEWHERE = 7;

const reference = readReference<{ cases: StatusCase[]; location: LocationCase[] }>('http-status.json');
const { cases, location } = reference ?? { cases: [], location: [] };

function pageStatus(http: number): string {
  const verdict = statusVerdict(http, true, true);
  if (verdict.kind === 'content') return 'fetched';
  if (verdict.kind === 'redirect') return verdict.permanent ? 'redir_perm' : 'redir_temp';
  return verdict.kind;
}

describe.skipIf(!reference)(referenceTitle('HTTP status cases'), () => {
  it('skips cases that are no HTTP status', () => {
    expect(cases.filter(({ input }) => typeof input !== 'number')).toHaveLength(ELSEWHERE);
  });

  it.each(cases.filter(({ input }) => typeof input === 'number'))('$input', ({ input, expected }) => {
    const deviation = STATUS_DEVIATIONS[input];
    if (deviation) expect(expected.crawlStatus).not.toBe(deviation.ours);
    expect(pageStatus(Number(input))).toBe(deviation?.ours ?? expected.crawlStatus);
  });

  it.each(location)('Location $input.location', ({ input, expected }) => {
    const deviation = LOCATION_DEVIATIONS[String(input.location)];
    if (deviation) expect(expected).not.toBe(deviation.ours);
    const target = redirectTarget(input.location ?? undefined, new URL(input.url));
    expect(target).toBe(deviation ? deviation.ours : expected);
  });
});
