import { BlockList, SocketAddress, isIP } from 'node:net';

/**
 * Address ranges that have no pages of the public web, narrower ranges first. They are the ranges of IANA's special-purpose registries, and
 * the addresses of services that cloud platforms offer only to their own machines. A service that is registered as globally reachable is
 * included only if the whole range around it is reserved. The whole range of Teredo is included, because Teredo is out of use, and its
 * addresses embed the address of a client.
 */
const RANGES = (
  [
    ['0.0.0.0/8', 'this network, unspecified'],
    ['10.0.0.0/8', 'private use'],
    ['100.100.100.200/32', 'cloud metadata'],
    ['100.64.0.0/10', 'shared address space of carriers'],
    ['127.0.0.0/8', 'loopback'],
    ['168.63.129.16/32', 'cloud platform'],
    ['169.254.169.254/32', 'cloud metadata'],
    ['169.254.0.0/16', 'link-local'],
    ['172.16.0.0/12', 'private use'],
    ['192.0.0.192/32', 'cloud metadata'],
    ['192.0.0.0/24', 'protocol assignments'],
    ['192.0.2.0/24', 'documentation'],
    ['192.88.99.0/24', 'reserved, once a 6to4 relay'],
    ['192.168.0.0/16', 'private use'],
    ['198.18.0.0/15', 'benchmarking'],
    ['198.51.100.0/24', 'documentation'],
    ['203.0.113.0/24', 'documentation'],
    ['224.0.0.0/4', 'multicast'],
    ['255.255.255.255/32', 'broadcast'],
    ['240.0.0.0/4', 'reserved'],
    ['::/128', 'unspecified'],
    ['::1/128', 'loopback'],
    ['::/96', 'IPv4-compatible, out of use'],
    ['64:ff9b:1::/48', 'local translation to IPv4'],
    ['100::/64', 'discard'],
    ['2001::/32', 'Teredo'],
    ['2001:2::/48', 'benchmarking'],
    ['2001::/23', 'protocol assignments'],
    ['2001:db8::/32', 'documentation'],
    ['3fff::/20', 'documentation'],
    ['5f00::/16', 'segment routing'],
    ['fd00:ec2::254/128', 'cloud metadata'],
    ['fd20:ce::254/128', 'cloud metadata'],
    ['fc00::/7', 'unique local'],
    ['fe80::/10', 'link-local'],
    ['fec0::/10', 'site-local'],
    ['ff00::/8', 'multicast'],
  ] as const
).map(([cidr, name]) => ({ name, text: `${cidr} (${name})`, list: listOf(cidr) }));

/**
 * The public ranges that are assigned so far. They include the ranges whose addresses embed an IPv4 address (mapped, NAT64, 6to4). All
 * other addresses are reserved.
 */
const ASSIGNED = listOf('0.0.0.0/0', '2000::/3');

/** Names of ranges that belong to one link or one machine. If a host name leads to such an address, this is an attack or an error. */
const LITERAL_ONLY: ReadonlySet<string> = new Set(['link-local', 'cloud metadata', 'cloud platform']);

/**
 * Returns the range of an address that is not public, such as `10.0.0.0/8 (private use)`. Returns undefined for a public address. If an
 * IPv6 address embeds an IPv4 address (mapped, NAT64, 6to4), the IPv4 address decides. A zone id is ignored. A text that is not an address
 * is not public.
 */
export function specialRange(address: string): string | undefined {
  const parsed = parse(address);
  if (!parsed) return 'no IP address';
  return rangeOf(parsed)?.text ?? (ASSIGNED.check(parsed) ? undefined : '::/0 (reserved)');
}

/**
 * Returns the range of an address that may be connected to only if the host of the URL is the address itself, not a name. These are link-local
 * addresses, and addresses of services that a cloud platform offers to its own machines. The format is the same as for
 * {@link specialRange}. Returns undefined for any other address.
 */
export function literalOnlyRange(address: string): string | undefined {
  const parsed = parse(address);
  const range = parsed && rangeOf(parsed);
  return range && LITERAL_ONLY.has(range.name) ? range.text : undefined;
}

function rangeOf(address: SocketAddress): (typeof RANGES)[number] | undefined {
  return RANGES.find(({ list }) => list.check(address));
}

function parse(address: string): SocketAddress | undefined {
  const family = isIP(address);
  if (family === 0) return undefined;
  const bare = address.replace(/%.*$/s, '');
  return new SocketAddress({ address: bare, family: family === 4 ? 'ipv4' : 'ipv6' });
}

/** Makes a list of ranges. With an IPv4 range, the list also contains the IPv6 addresses that embed an address of this range. */
function listOf(...cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [start = '', length] = cidr.split('/');
    const bits = Number(length);
    if (isIP(start) === 6) {
      list.addSubnet(start, bits, 'ipv6');
      continue;
    }
    list.addSubnet(start, bits, 'ipv4');
    list.addSubnet(`::ffff:${start}`, 96 + bits, 'ipv6');
    list.addSubnet(`64:ff9b::${start}`, 96 + bits, 'ipv6');
    const [a = 0, b = 0, c = 0, d = 0] = start.split('.').map(Number);
    list.addSubnet(`2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::`, 16 + bits, 'ipv6');
  }
  return list;
}
