import { expect, test } from 'vitest';
import { urlOfSite } from '../../packages/answers/index.js';
import type { FetchOutcome } from '../../packages/webcrawl/internal.js';
import { testCrawl } from '../support/test-crawl.js';

const failure = (code: string, message = ''): FetchOutcome => ({ kind: 'retry', code, message });

async function urlFor(named: string, outcome: FetchOutcome): Promise<string> {
  const requests: string[] = [];
  const fetch = async ({ url, headOnly }: { readonly url: string; readonly headOnly?: boolean }) => {
    requests.push(`${headOnly ? 'HEAD' : 'GET'} ${url}`);
    return Promise.resolve(outcome);
  };
  const plugins = [{ name: 'stub', protocol: { schemes: ['http', 'https'], fetch } }];
  await using crawl = await testCrawl(undefined, { plugins });
  const url = await urlOfSite(crawl, named);
  expect(requests).toEqual([`HEAD ${url.replace('http:', 'https:')}`]);
  return url;
}

test.each<[string, FetchOutcome, string]>([
  ['example.com', { kind: 'gone', code: 'not_found', http: 404 }, 'https://example.com/'],
  ['example.com/a?b=1', failure('connect_failed'), 'http://example.com/a?b=1'],
  ['localhost:8080', failure('tls_failed', 'ERR_SSL_WRONG_VERSION_NUMBER'), 'http://localhost:8080/'],
  ['example.com', failure('timeout'), 'http://example.com/'],
  ['example.com', failure('tls_failed', 'CERT_HAS_EXPIRED'), 'https://example.com/'],
])('%s is read as a URL by the response to https: %j', async (named, outcome, url) => {
  expect(await urlFor(named, outcome)).toBe(url);
});

test.each([
  ['getaddrinfo ENOTFOUND example.invalid', 'no host named example.invalid was found'],
  ['getaddrinfo EAI_AGAIN example.invalid', 'no name server responded for example.invalid'],
])('a host without an address is an error: %s', async (reported, message) => {
  await expect(urlFor('example.invalid/a', failure('dns_failed', reported))).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message,
  });
});
