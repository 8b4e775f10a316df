import { describe, expect, it } from 'vitest';
import { literalOnlyRange, specialRange } from '../../../packages/fetch/address/address-ranges.js';
import { words } from '../../support/files/words.js';

/** The first and the last address of each range, and their public neighbours if there are any. */
const RANGES: readonly (readonly [
  range: string,
  name: RegExp,
  inside: readonly string[],
  outside: readonly string[],
])[] = [
  ['0.0.0.0/8', /unspecified/, ['0.0.0.0', '0.0.0.1', '0.255.255.255'], ['1.0.0.0']],
  ['10.0.0.0/8', /private/, ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0/10', /carriers/, ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['100.100.100.200/32', /metadata/, ['100.100.100.200'], []],
  ['127.0.0.0/8', /loopback/, ['127.0.0.1', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['168.63.129.16/32', /cloud/, ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['169.254.169.254/32', /metadata/, ['169.254.169.254'], []],
  ['169.254.0.0/16', /link-local/, ['169.254.0.0', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0/12', /private/, ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.192/32', /metadata/, ['192.0.0.192'], []],
  ['192.0.0.0/24', /assignments/, ['192.0.0.0', '192.0.0.191', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['192.0.2.0/24', /documentation/, ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['192.88.99.0/24', /6to4/, ['192.88.99.1'], ['192.88.98.255', '192.88.100.0']],
  ['192.168.0.0/16', /private/, ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['198.18.0.0/15', /benchmarking/, ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0/24', /documentation/, ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0/24', /documentation/, ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0/4', /multicast/, ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['240.0.0.0/4', /reserved/, ['240.0.0.0', '255.255.255.254'], []],
  ['255.255.255.255/32', /broadcast/, ['255.255.255.255'], []],

  ['::/128', /unspecified/, ['::', '0:0:0:0:0:0:0:0', '::0.0.0.0'], []],
  ['::1/128', /loopback/, ['::1', '0:0:0:0:0:0:0:1', '0000::0001', '::0.0.0.1', '::1%lo'], []],
  ['::/96', /compatible/, ['::2', '::127.0.0.1', '::8.8.8.8', '::ffff:ffff'], []],
  ['64:ff9b:1::/48', /local translation/, ['64:ff9b:1::', '64:ff9b:1:ffff::10.0.0.1'], []],
  ['100::/64', /discard/, ['100::', '100::ffff:ffff:ffff:ffff'], []],
  ['2001::/32', /Teredo/, ['2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:ffff::1'], []],
  ['2001:2::/48', /benchmarking/, ['2001:2::', '2001:2:0:ffff::1'], []],
  ['2001::/23', /assignments/, ['2001:1::1', '2001:20::1', '2001:1ff:ffff::'], ['2001:200::', '2001:4860:4860::8888']],
  ['2001:db8::/32', /documentation/, ['2001:db8::', '2001:DB8:ffff::1'], ['2001:db7:ffff::', '2001:db9::']],
  ['3fff::/20', /documentation/, ['3fff::', '3fff:fff:ffff::'], ['3fff:1000::', '3ffe:ffff::']],
  ['5f00::/16', /segment/, ['5f00::1'], []],
  ['fd00:ec2::254/128', /metadata/, ['fd00:ec2::254', 'fd00:0ec2:0::0254'], []],
  ['fd20:ce::254/128', /metadata/, ['fd20:ce::254'], []],
  ['fc00::/7', /unique local/, ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['fe80::/10', /link-local/, ['fe80::1', 'fe80::1%eth0', 'febf::1', 'fe80::1%25'], []],
  ['fec0::/10', /site-local/, ['fec0::1', 'feff::1'], []],
  ['ff00::/8', /multicast/, ['ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['::/0', /reserved/, ['::1:0:0', '200::1', '1fff:ffff::', '4000::', 'fbff::', 'fe00::', '::ffff:0:8.8.8.8'], []],
];

describe('literalOnlyRange', () => {
  it('includes link-local addresses and those at which cloud platforms serve their own machines, in any spelling', () => {
    const only = RANGES.filter(([, name]) => /metadata|cloud|link-local/.test(name.source));
    expect(only.length).toBe(8);
    for (const [range, name, inside] of RANGES) {
      for (const address of inside) {
        const found = literalOnlyRange(address);
        if (/metadata|cloud|link-local/.test(name.source)) expect(found, address).toContain(`${range} (`);
        else expect(found, address).toBeUndefined();
      }
    }
    for (const address of ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', 'fe80::1%eth0'])
      expect(literalOnlyRange(address), address).toBeDefined();
    for (const address of ['8.8.8.8', '2001:4860:4860::8888', '::ffff:10.0.0.1', 'x'])
      expect(literalOnlyRange(address), address).toBeUndefined();
  });
});

describe('specialRange', () => {
  it.each(RANGES)('%s', (range, name, inside, outside) => {
    for (const address of inside) {
      expect(specialRange(address), address).toMatch(name);
      expect(specialRange(address), address).toContain(`${range} (`);
    }
    for (const address of outside) expect(specialRange(address), address).toBeUndefined();
  });

  it.each(words`
    1.1.1.1 8.8.8.8 93.184.215.14 192.31.196.1 192.52.193.1 192.175.48.1 2000:: 2600:1901::1
    2a00:1450:4001:80b::200e 2606:4700::6810:85e5 2620:4f:8000::1 3ffe::
  `)('%s is public', (address) => expect(specialRange(address)).toBeUndefined());

  it('checks an IPv4 address within an IPv6 address', () => {
    const spellings = (a: number, b: number, c: number, d: number): string[] => {
      const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
      return [
        `::ffff:${a}.${b}.${c}.${d}`,
        `0:0:0:0:0:FFFF:${a}.${b}.${c}.${d}`,
        `::ffff:${hex(a, b)}:${hex(c, d)}`,
        `::ffff:${a}.${b}.${c}.${d}%eth0`,
        `64:ff9b::${a}.${b}.${c}.${d}`,
        `64:ff9b::${hex(a, b)}:${hex(c, d)}`,
        `2002:${hex(a, b)}:${hex(c, d)}::1`,
        `2002:${hex(a, b)}:${hex(c, d)}:ffff:8:8:8:8`,
      ];
    };
    for (const [, , inside] of RANGES) {
      for (const address of inside) {
        const [a, b, c, d] = address.split('.').map(Number);
        if (address.includes(':')) continue;
        for (const spelling of spellings(a!, b!, c!, d!)) {
          expect(specialRange(spelling), spelling).toBe(specialRange(address));
        }
      }
    }
    for (const spelling of spellings(8, 8, 4, 4)) expect(specialRange(spelling), spelling).toBeUndefined();
  });

  it('does not treat text that is no address as a public address', () => {
    for (const text of ['', 'localhost', '1.2.3', '0x7f.1', '8.8.8.8 ', '8.8.8.8%eth0', '[::1]', '1::2::3', '08.8.8.8'])
      expect(specialRange(text), text).toBe('no IP address');
  });
});

/** The URL parser normalises all spellings of an IPv4 address; anything else is looked up as a name. */
it.each([
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://017700000001/', '127.0.0.1'],
  ['http://0x7f000001/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://127.%30.0.1/', '127.0.0.1'],
  ['http://①②⑦.0.0.1/', '127.0.0.1'],
  ['http://127。0。0。1/', '127.0.0.1'],
  ['http://0/', '0.0.0.0'],
  ['http://0xa9fea9fe/', '169.254.169.254'],
  ['http://[::ffff:7f00:1]/', '[::ffff:7f00:1]'],
  ['http://[0:0:0:0:0:ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
])('the host of %s is %s', (url, host) => {
  expect(new URL(url).hostname).toBe(host);
  expect(specialRange(host.replace(/[[\]]/g, ''))).toBeDefined();
});
