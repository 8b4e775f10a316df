import { isIP } from 'node:net';

/** The name of a `Host` header, without its port and in lower case. */
function nameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * Whether a request is meant for this server. A page of somebody else may let its own name lead to this machine (DNS rebinding),
 * and would then read what we answer; but the browser sends that name. An address is nobody's name, and so is `localhost`
 * (RFC 6761, section 6.3). Without a `Host` it was no browser.
 * @param names that were given by the operator
 */
export function isOurHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return true;
  const name = nameOf(host);
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  return names.some((ours) => nameOf(ours) === name);
}

/** Whether a `Host` header names this machine itself, as only who asks on it does. */
export function isLoopbackName(host: string | undefined): boolean {
  const name = nameOf(host ?? '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
