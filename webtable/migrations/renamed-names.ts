/**
 * Names that tables of schema 7 store, and their names since schema 8. The command line reads them too: it names the new code when it is given
 * an old one. No new name is an old one, so renaming twice changes nothing.
 */
export const RENAMED_CODES = {
  access_denied: 'unauthorized',
  connect: 'connect_failed',
  dns: 'dns_failed',
  header_limit: 'headers_too_large',
  network: 'network_error',
  no_protocol: 'unsupported_scheme',
  protocol: 'invalid_response',
  proxy: 'proxy_failed',
  reset: 'connection_reset',
  robots_elsewhere: 'robots_on_other_worker',
  tls: 'tls_failed',
} as const;

/** Fields of pages, and of `parseStatus`. The names of the columns did not change. */
export const RENAMED_FIELDS = {
  contentAt: 'contentLocation',
  firstSeen: 'firstSeenAt',
  modified: 'statedModifiedAt',
  modifiedTime: 'modifiedAt',
  published: 'publishedAt',
} as const;

/** Kinds of changes. */
export const RENAMED_KINDS = { moved: 'reordered' } as const;

/** Returns the present name of a stored name; a name that was not renamed stays. */
export function presentName(names: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(names, name) ? names[name]! : name;
}
