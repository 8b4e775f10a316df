import { isIP } from 'node:net';

/**
 * Ranges that hold no page of the public web, by the special-purpose registries of IANA, and addresses at which cloud
 * platforms answer their own machines; the narrower first. Services that are registered as globally reachable are not
 * among them, unless all of the range around them is reserved.
 */
const IPV4: readonly Range[] = ranges(4, [
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
]);

/** Teredo is refused as a whole: it is out of use, and what it embeds is the address of a client. */
const IPV6: readonly Range[] = ranges(6, [
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
]);

/** What is assigned to the public so far. The rest of IPv6 is reserved. */
const [GLOBAL_UNICAST] = ranges(6, [['2000::/3', '']]);

/** IPv6 addresses that stand for an IPv4 address, and how many bits lie to the right of it. */
const EMBEDDING = ranges(6, [
  ['::ffff:0:0/96', 'mapped'],
  ['64:ff9b::/96', 'NAT64'],
  ['2002::/16', '6to4'],
]).map((range) => ({ range, shift: range.name === '6to4' ? 80n : 0n }));

/**
 * Which range that is not of the public web an address lies in, as `10.0.0.0/8 (private use)`; undefined for a public
 * address. An IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) counts as that one. A zone id does not
 * matter. A text that is no address is in no public range either.
 */
export function specialRange(address: string): string | undefined {
  const bits = bitsOf(address);
  if (bits === undefined) return 'no IP address';
  const range = rangeOf(address, bits);
  if (range) return textOf(range);
  if (isIP(address) === 4 || embeddingOf(bits)) return undefined;
  return GLOBAL_UNICAST && isIn(GLOBAL_UNICAST, bits) ? undefined : '::/0 (reserved)';
}

/** Names of ranges that no host name leads to but for an attack or by a fault: they belong to one link or one machine. */
const LITERAL_ONLY: ReadonlySet<string> = new Set(['link-local', 'cloud metadata', 'cloud platform']);

/**
 * The range of an address that may be connected to only where a URL holds the address itself, not a name: link-local, or
 * where a cloud platform answers its own machines. As {@link specialRange} writes it; undefined for any other address.
 */
export function literalOnlyRange(address: string): string | undefined {
  const bits = bitsOf(address);
  const range = bits === undefined ? undefined : rangeOf(address, bits);
  return range && LITERAL_ONLY.has(range.name) ? textOf(range) : undefined;
}

interface Range {
  readonly cidr: string;
  readonly name: string;
  readonly prefix: bigint;
  /** Bits to the right of the prefix. */
  readonly shift: bigint;
}

function ranges(family: 4 | 6, table: readonly (readonly [cidr: string, name: string])[]): Range[] {
  return table.map(([cidr, name]) => {
    const [start = '', length] = cidr.split('/');
    const shift = BigInt((family === 4 ? 32 : 128) - Number(length));
    return { cidr, name, shift, prefix: (bitsOf(start) ?? 0n) >> shift };
  });
}

function isIn({ prefix, shift }: Range, bits: bigint): boolean {
  return bits >> shift === prefix;
}

function embeddingOf(bits: bigint): (typeof EMBEDDING)[number] | undefined {
  return EMBEDDING.find(({ range }) => isIn(range, bits));
}

function rangeOf(address: string, bits: bigint): Range | undefined {
  const find4 = (bits4: bigint): Range | undefined => IPV4.find((range) => isIn(range, bits4));
  if (isIP(address) === 4) return find4(bits);
  const embedding = embeddingOf(bits);
  if (embedding) return find4((bits >> embedding.shift) & 0xffffffffn);
  return IPV6.find((range) => isIn(range, bits));
}

function textOf({ cidr, name }: Range): string {
  return `${cidr} (${name})`;
}

/** The number that an address is; undefined when it is none. */
function bitsOf(address: string): bigint | undefined {
  const family = isIP(address);
  if (family === 0) return undefined;
  if (family === 4) return join(address.split('.').map(Number), 8n);
  const bare = address.replace(/%.*$/s, '');
  const groups = bare.replace(/[^:]*\.[^:]*$/, (tail) => {
    const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right = []] = groups.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return join(
    [...left, ...zeros, ...right].map((group) => parseInt(group, 16)),
    16n,
  );
}

function join(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}
