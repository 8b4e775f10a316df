/**
 * How fetches and parses end: every code that webcrawl itself writes into `protocolStatus` and `parseStatus`, with what it
 * means. They are stored in tables, so none may be renamed. docs/REFERENCE.md is written from here, and a test holds the
 * source to it.
 */

/** The codes of `protocolStatus`: how the last fetch ended. */
export const PROTOCOL_CODES = {
  success: 'the page was answered (2xx)',
  notmodified: 'the page is as it was when it was last fetched (304)',
  moved: 'a lasting redirect (any 3xx that is not `temp_moved`)',
  temp_moved: 'a temporary redirect (302, 303, 307)',
  redirect_exceeded: 'a redirect after more of them in a row than `fetcher.maxRedirects`',
  not_found: 'there is no such page (404)',
  gone: 'the page is gone for good (410), or the server does not take the request (400)',
  access_denied: 'the page wants a password (401), see `http.credentials`',
  forbidden: 'the server refuses (403)',
  throttled: 'too many requests (429)',
  unavailable: 'the server is not available (503)',
  http_error: 'any other HTTP status',
  robots_denied: 'robots.txt denies the page; it was not asked for',
  crawl_delay_too_long:
    'robots.txt asks for a `Crawl-delay` beyond `fetcher.maxCrawlDelay`; the page was not asked for',
  private_address: 'the host is at an address that is not public, see `http.privateAddresses`; it was not asked',
  bad_port: 'the URL names a port that browsers refuse; it was not asked for',
  no_protocol: 'no plugin has a protocol for the scheme of the URL',
  host_backoff: 'the host is left alone for now; it was not asked',
  proxy_refused: 'the proxy refuses to lead to this host',
  proxy: 'the proxy cannot be reached or refuses, see `http.proxy`',
  dns: 'the host has no address, or looking it up failed',
  connect: 'no connection could be made',
  tls: 'no secure connection could be made, for instance because of the certificate',
  timeout: 'the server sent nothing for `http.timeout`',
  too_slow: 'the answer was not complete after `http.timeLimit`',
  reset: 'the connection was broken off',
  protocol: 'the answer is not HTTP',
  header_limit: 'more headers than `http.headerLimit`',
  aborted: 'the request was ended because the run was to stop',
  network: 'any other failure of the network',
} as const;

/** The codes of `parseStatus`: how the last parse ended. Counted as `failed_<code>`, all but `success`. */
export const PARSE_CODES = {
  success: 'the page was parsed',
  unsupported_type: 'no parser takes the type of the page, or what it holds is not what its type says',
  missing_content: 'the table has no body of the page',
  truncated: 'the body is not whole, and cannot be parsed so or is not to be, see `parser.skipTruncated`',
  timeout: 'it was not done after `parser.timeout`',
  parser_crashed: 'the thread that parsed the page ended',
  out_of_memory: 'a PDF that takes more memory than it may',
  encrypted: 'a PDF that wants a password',
  malformed: 'a PDF that cannot be read',
} as const;

/** What a plugin that failed is named by: `plugin_error_<name>` is both a code and a counter. */
export type PluginErrorCode = `plugin_error_${string}`;

/** Whether a code says that a plugin failed. */
export function isPluginError(code: string): code is PluginErrorCode {
  return code.startsWith('plugin_error_');
}

/** A code of `protocolStatus` that webcrawl writes itself. A protocol of a plugin may have others. */
export type ProtocolCode = keyof typeof PROTOCOL_CODES | PluginErrorCode;

/** A code of `parseStatus` that webcrawl writes itself. A parser of a plugin may have others. */
export type ParseCode = keyof typeof PARSE_CODES | PluginErrorCode;

/** Some of the protocol codes; a word that is none does not compile. */
export type SomeProtocolCodes<C extends keyof typeof PROTOCOL_CODES> = C;
