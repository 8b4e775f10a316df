import { isIP } from 'node:net';

/** Returns the name in a `Host` header, without the port and in lower case. */
function nameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Whether a request is meant for this server. The operator of another site may let the name of that site resolve to this machine (DNS
 * rebinding). Pages of that site could then read the responses. In this case the browser sends the name of the other site. IP addresses and
 * `localhost` cannot be such names (RFC 6761, section 6.3). A request without a `Host` does not come from a browser.
 * @param names the names that the operator gave
 */
export function isOurHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return true;
  const name = nameOf(host);
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  return names.some((ours) => nameOf(ours) === name);
}

/** Whether a `Host` header names this machine itself. Only a client on this machine sends such a name. */
export function isLoopbackName(host: string | undefined): boolean {
  const name = nameOf(host ?? '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
