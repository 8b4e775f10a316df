/** One request as the server saw it. All times are in ms of one clock, which never goes back. */
export interface AccessEntry {
  /** Host name without port: http and https of one name are one host. */
  readonly host: string;
  readonly scheme: 'http' | 'https';
  readonly path: string;
  /** When the head of the request was read. */
  readonly arrived: number;
  /** Just before the last byte of the answer was sent, so never later than the client could see its end. */
  readonly ended: number;
  readonly status: number;
  /** The header as sent. */
  readonly retryAfter?: string;
  /** The Crawl-delay of this robots.txt, in seconds. */
  readonly crawlDelay?: number;
  /** The client closed the connection before it had the whole answer. */
  readonly cut?: boolean;
}

/** Whether the request was for a robots.txt. */
export function isRobots({ path }: Pick<AccessEntry, 'path'>): boolean {
  return path === '/robots.txt';
}

/** The server fails, or asks to be left alone: 429, 503, and for a robots.txt every 5xx (RFC 9309, section 2.3.1.4). */
export function isRefusal(entry: Pick<AccessEntry, 'path' | 'status'>): boolean {
  return entry.status === 429 || entry.status === 503 || (isRobots(entry) && entry.status >= 500);
}
