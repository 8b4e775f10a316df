import { z } from 'zod';
import { cookiesProblem, credentialsProblem, headersProblem, proxyProblem } from '../http-checks.js';
import { count, bytes, seconds, headerText, refusedBy, textByName, section } from './types.js';

export const http = section({
  agentName: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'one word of letters, digits, - and _')
    .default('webcrawl')
    .describe('Name sent as User-Agent and looked up in robots.txt'),
  agentVersion: headerText.default('0.1').describe('Version sent after the name'),
  agentDescription: headerText.default('').describe('Short description of the crawler, sent in the User-Agent comment'),
  agentUrl: headerText.default('').describe('URL of a page about the crawler, sent in the User-Agent comment'),
  agentEmail: headerText.default('').describe('Contact address, sent in the User-Agent comment'),
  robotsAgents: z
    .array(z.string())
    .default([])
    .describe('Additional names looked up in robots.txt after http.agentName'),
  accept: headerText
    .default('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
    .describe('The Accept header'),
  acceptLanguage: headerText.default('en;q=0.9,*;q=0.5').describe('The Accept-Language header'),
  timeout: count.min(1).default(10_000).describe('Milliseconds without a byte after which a request fails'),
  timeLimitMs: count.min(1).default(60_000).describe('Milliseconds that a whole request may take'),
  contentLimit: bytes
    .default(2_097_152)
    .describe(
      'Maximum bytes of a body after decoding; a longer body is truncated. Sitemaps may have up to 50 MiB. -1: no limit',
    ),
  privateAddresses: z
    .enum(['seeds', 'allow', 'deny'])
    .default('seeds')
    .describe(
      'Which hosts may have addresses that are not public. seeds: hosts of seeds that had such an address when they were injected; allow: all hosts; deny: no host',
    ),
  headerLimit: count.min(1024).default(65_536).describe('Bytes of response headers after which a request fails'),
  headers: refusedBy(textByName, headersProblem)
    .default({})
    .describe('Additional headers, sent with every request to every server: `{"From": "me@example.com"}`'),
  credentials: refusedBy(textByName, credentialsProblem)
    .meta({ secret: true })
    .default({})
    .describe(
      'Basic authentication, `user:password` by origin: `{"https://example.com": "me:secret"}`. Sent only to that origin',
    ),
  cookies: refusedBy(textByName, cookiesProblem)
    .meta({ secret: true })
    .default({})
    .describe('Cookie headers by origin: `{"https://example.com": "session=1; lang=en"}`. Sent only to that origin'),
  proxy: refusedBy(z.string(), proxyProblem)
    .meta({ secret: true })
    .default('')
    .describe(
      'HTTP proxy for all requests: `http://user:password@proxy.example:3128`. Empty: no proxy; environment variables are ignored',
    ),
});

export const fetcher = section({
  threadsFetch: count.min(1).default(50).describe('Maximum number of requests in flight, over all hosts'),
  threadsPerQueue: count
    .min(1)
    .default(1)
    .describe('Maximum number of requests in flight per queue (host, domain or IP)'),
  serverDelay: seconds.default(1).describe('Seconds between two requests of one queue'),
  serverMinDelay: seconds
    .default(0)
    .describe('Seconds between the starts of two requests of one queue, if fetcher.threadsPerQueue is above 1'),
  maxCrawlDelay: seconds
    .or(z.literal(-1))
    .default(30)
    .describe(
      'Maximum Crawl-delay in seconds; if robots.txt requests a longer one, the page is not fetched. -1: any Crawl-delay is obeyed',
    ),
  delayFactor: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'The delay of a queue is at least the recent answer time of its host times this number, up to fetcher.maxCrawlDelay (30 s if that is -1). 0: off',
    ),
  minBackoffSeconds: seconds
    .default(10)
    .describe(
      'Seconds of back-off for a host after a 429, a 503, a failed connection or an unavailable robots.txt, if there is no Retry-After; doubled with every failure in a row. A random part of up to a quarter is added',
    ),
  maxBackoffSeconds: seconds.default(86_400).describe('Longest back-off in seconds'),
  maxBackoffWaitSeconds: seconds
    .default(60)
    .describe(
      'Maximum back-off in seconds for which a fetch waits. If a host requests a longer one, its pages stay due for a later batch. If the back-off is longer because the host did not answer three requests in a row, its pages fail',
    ),
  maxRedirects: count
    .min(0)
    .default(5)
    .describe(
      'Maximum number of redirects in a row that are followed within the batch. 0: targets wait for a later batch',
    ),
  timelimitMins: z
    .number()
    .min(-1)
    .max(35_000)
    .default(-1)
    .describe('Minutes after its start when fetch or crawl stops requesting pages. -1: no limit'),
  storeContent: z
    .boolean()
    .default(true)
    .describe('Store bodies. Without bodies, no page can be parsed after the fetch'),
});
