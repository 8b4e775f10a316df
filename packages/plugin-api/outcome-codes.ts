/**
 * The codes with which fetches and parses end, with their meanings. These are all codes that webcrawl itself writes into `protocolStatus`
 * and `parseStatus`. Tables store the codes, so a code must not be renamed. docs/REFERENCE.md is generated from this list. A test checks
 * that the source uses only these codes.
 */

/** The codes of `protocolStatus`: how the last fetch ended. */
export const PROTOCOL_CODES = {
  success: 'the server returned the page (2xx)',
  notmodified: 'the page has not changed since the last fetch (304)',
  moved: 'a permanent redirect (any 3xx that is not `temp_moved`)',
  temp_moved: 'a temporary redirect (302, 303, 307)',
  redirect_exceeded: 'more redirects in a row than `fetcher.maxRedirects`',
  not_found: 'there is no such page (404)',
  gone: 'the page is permanently gone (410), or the server rejects the request as invalid (400)',
  unauthorized: 'the page requires a password (401), see `http.credentials`',
  forbidden: 'the server refuses access (403)',
  throttled: 'too many requests (429)',
  unavailable: 'the server is not available (503)',
  challenge: 'a page that asks visitors to prove that they are no robots, with any status',
  http_error: 'any other HTTP status',
  robots_denied: 'robots.txt denies the page; it was not requested',
  robots_on_other_worker: 'robots.txt redirects to a host of another worker, so the page was not requested',
  crawl_delay_too_long: 'robots.txt requests a `Crawl-delay` above `fetcher.maxCrawlDelay`; the page was not requested',
  private_address: 'the host is at an address that is not public, see `http.privateAddresses`; no request was sent',
  bad_port: 'the URL has a port that browsers refuse; it was not requested',
  unsupported_scheme: 'no plugin has a protocol for the scheme of the URL',
  host_backoff: 'the host is in back-off; no request was sent',
  proxy_refused: 'the proxy refuses to connect to this host',
  proxy_failed: 'the proxy cannot be reached, or refuses the request, see `http.proxy`',
  dns_failed: 'the host has no address, or the lookup failed',
  connect_failed: 'no connection could be made',
  tls_failed: 'no secure connection could be made, for example because of the certificate',
  timeout: 'the server sent nothing for `http.timeout`',
  too_slow: 'the answer was not complete after `http.timeLimitMs`',
  connection_reset: 'the connection was reset',
  invalid_response: 'the response is not HTTP',
  headers_too_large: 'more headers than `http.headerLimit`, or more than 100 interim answers',
  unsupported_coding:
    'the body has a registered content coding that cannot be decoded, such as `compress`, or more than four codings',
  aborted: 'the request was aborted because the run had to stop',
  network_error: 'any other network failure',
} as const;

/** The codes of `parseStatus`: how the last parse ended. Each code except `success` is counted as `failed_<code>`. */
export const PARSE_CODES = {
  success: 'the page was parsed',
  unsupported_type: 'no parser supports the type of the page, or its content does not match the type',
  missing_content: 'the table has no body for the page',
  truncated: 'the body is incomplete: it cannot be parsed, or `parser.skipTruncated` forbids the parse',
  timeout: 'the parser took longer than `parser.timeout`',
  parser_crashed: 'the parse thread ended while it parsed the page',
  out_of_memory: 'a PDF or office document that needs more memory than allowed',
  encrypted: 'a PDF or office document that requires a password',
  malformed: 'a PDF or office document that cannot be read',
  pdf_text_lost: 'a PDF with text whose characters are all unknown',
} as const;

/** The code for a failed plugin. It is also the name of a counter. */
export type PluginErrorCode = `plugin_error_${string}`;

export function isPluginError(code: string): code is PluginErrorCode {
  return code.startsWith('plugin_error_');
}

/** A code of `protocolStatus` that webcrawl itself writes. The protocol of a plugin may have other codes. */
export type ProtocolCode = keyof typeof PROTOCOL_CODES | PluginErrorCode;

/** A code of `parseStatus` that webcrawl itself writes. The parser of a plugin may have other codes. */
export type ParseCode = keyof typeof PARSE_CODES | PluginErrorCode;

/** A selection of the protocol codes. A word that is no protocol code does not compile. */
export type SomeProtocolCodes<C extends keyof typeof PROTOCOL_CODES> = C;
