declare const hostKey: unique symbol;

/**
 * A host as in row keys, with its labels from the last to the first: `com.example.www`. IP addresses stay as they are. All data that is
 * stored or grouped by host uses this key. The plain spelling is for plugins, DNS and people.
 */
export type HostKey = string & { readonly [hostKey]: true };

/** An IPv4 address, as the URL parser writes it. */
export const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** The key of a host. @param host the host of a normalised URL */
export function hostKeyOf(host: string): HostKey {
  return reverse(host) as HostKey;
}

/** The host of a key, as in URLs. */
export function hostOfKey(key: HostKey): string {
  return reverse(key);
}

export function hostKeyOfRow(rowKey: string): HostKey {
  // An IPv6 host contains colons.
  const end = rowKey.startsWith('[') ? rowKey.indexOf(']') + 1 : rowKey.indexOf(':');
  return rowKey.slice(0, end) as HostKey;
}

/** All pages of one host, over all schemes and ports. */
export function rowsOfHost(key: HostKey): { readonly start: string; readonly end: string } {
  return { start: `${key}:`, end: `${key};` };
}

/** Reverses the labels. Two calls return the original text, even with empty labels: `example.com.` is `.com.example`. */
function reverse(host: string): string {
  if (IPV4.test(host) || host.startsWith('[')) return host;
  let reversed = '';
  let end = host.length;
  for (let dot = host.lastIndexOf('.'); dot >= 0; dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1)) {
    reversed += `${host.slice(dot + 1, end)}.`;
    end = dot;
  }
  return reversed + host.slice(0, end);
}
