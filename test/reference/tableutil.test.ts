import { describe, expect, it } from 'vitest';
import { hostKeyOfRow } from '../../webtable/index.js';
import { domainRanges, hostRange, prefixRange, rowKeyOf, urlOf } from '../../webtable/keys/row-key.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface Case<I = string, E = string | null> {
  readonly input: I;
  readonly expected: E;
}
interface TableUtil {
  readonly reverse: Case[];
  readonly unreverse: Case[];
  readonly reversedHost: Case[];
  readonly reverseHost: Case[];
  readonly roundTrip: Case[];
  readonly ordering: Case<string[], string[]>[];
  readonly domainRange: Case<string, [string, string][]>[];
}

const NO_PATH = 'an empty path is "/": one page, one row';
const DEFAULT_PORT = 'a default port is dropped: one page, one row';
const CREDENTIALS = 'refused: dropping user name and password would mix up two pages';
const LOWER_HOST = 'hosts are lower case';
const EMPTY_LABELS = 'empty labels are kept, so that the key leads back to the URL';
const ADDRESS = 'IP addresses are not reversed';
const HTTP_LIKE = 'refused: only http and https URLs with a host';
const WHATWG = 'the WHATWG URL Standard reads it so';
const UNCHECKED = 'not checked: no such key is ever written';
const DAMAGED = 'refused: no such key is ever written';

/** Our value, null if it is rejected, and the reason why it differs from the reference. */
type Deviations = Readonly<Record<string, readonly [ours: string | null, reason: string]>>;

const REVERSE: Deviations = {
  'ftp://bar.baz.com/': [null, HTTP_LIKE],
  'http://foo.com': ['com.foo:http/', NO_PATH],
  'http://foo.com:80/': ['com.foo:http/', DEFAULT_PORT],
  'https://foo.com:443/': ['com.foo:https/', DEFAULT_PORT],
  'HTTP://Foo.COM/Path': ['com.foo:http/Path', LOWER_HOST],
  'http://user:secret@foo.com/private?x=1': [null, CREDENTIALS],
  'http://user@foo.com:8080/': [null, CREDENTIALS],
  'ftp://john.doe@ftp.example.org/': [null, CREDENTIALS],
  'http://140.211.11.130/foundation/contributing.html': ['140.211.11.130:http/foundation/contributing.html', ADDRESS],
  'http://www.example.org./a': ['.org.example.www:http/a', EMPTY_LABELS],
  'http://a..b.com/': ['com.b..a:http/', EMPTY_LABELS],
  'http://.foo.com/': ['com.foo.:http/', EMPTY_LABELS],
  'file:///var/www/index.html': [null, HTTP_LIKE],
  'file:/var/www/index.html': [null, HTTP_LIKE],
  'mailto:foo@bar.com': [null, HTTP_LIKE],
  'http://bücher.de/': ['de.xn--bcher-kva:http/', WHATWG],
  'http://foo.com/a b': ['com.foo:http/a%20b', WHATWG],
  'http:///path': ['path:http/', WHATWG],
  'http:/foo': ['foo:http/', WHATWG],
  'http://': [null, WHATWG],
  'http://foo.com:99999/': [null, WHATWG],
  'http://1.2.3/': ['1.2.0.3:http/', WHATWG],
  'http://%66oo.com/': ['com.foo:http/', WHATWG],
};

const UNREVERSE: Deviations = {
  'com.baz.bar:ftp/': [null, DAMAGED],
  'com.foo:http': [null, DAMAGED],
  ':file/var/www/index.html': [null, DAMAGED],
  '130.11.211.140:http/x': ['http://130.11.211.140/x', ADDRESS],
  '[2600:1f18:200d:fb00:2b74:867c:ab0c:150a]:http/index.html': [
    'http://[2600:1f18:200d:fb00:2b74:867c:ab0c:150a]/index.html',
    'IPv6 leads back',
  ],
  '[::1]:http:8080/': ['http://[::1]:8080/', 'IPv6 leads back'],
  'com.foo:http:80:90/x': [null, DAMAGED],
  'com.foo:http?x=1': [null, DAMAGED],
};

const REVERSED_HOST: Deviations = {
  'com.foo/nocolon': ['com.foo/nocolo', UNCHECKED],
  '[2600:1f18::1]:http/': ['[2600:1f18::1]', 'IPv6 is kept whole'],
};

const REVERSE_HOST: Deviations = {
  'www.example.org.': ['.org.example.www', EMPTY_LABELS],
  'a..b': ['b..a', EMPTY_LABELS],
  '1.2.3.4': ['1.2.3.4', ADDRESS],
  '': [null, 'no URL has an empty host'],
};

const ROUND_TRIP: Deviations = {
  'http://user:pw@foo.com/': [null, CREDENTIALS],
  'http://www.example.org./a': ['http://www.example.org./a', EMPTY_LABELS],
  'file:/var/www': [null, HTTP_LIKE],
  'http://Foo.COM/': ['http://foo.com/', LOWER_HOST],
};

/** The value, or null if it is rejected. */
function orNull(what: () => string): string | null {
  try {
    return what();
  } catch (error) {
    expect(error).toMatchObject({ name: 'CrawlError' });
    return null;
  }
}

const cases = readReference<TableUtil>('tableutil.json');

describe.skipIf(!cases)(referenceTitle('row key cases'), () => {
  const replay = (name: string, list: Case[] | undefined, deviations: Deviations, ours: (input: string) => string) => {
    describe(name, () => {
      it.each(list ?? [])('$input', ({ input, expected }) => {
        const deviation = deviations[input];
        if (deviation) expect(deviation[0], 'a deviation that is none').not.toBe(expected);
        expect(orNull(() => ours(input))).toBe(deviation ? deviation[0] : expected);
      });

      it('knows every deviation', () => {
        const inputs = new Set((list ?? []).map(({ input }) => input));
        expect(Object.keys(deviations).filter((input) => !inputs.has(input))).toEqual([]);
      });
    });
  };

  replay('rowKeyOf', cases?.reverse, REVERSE, rowKeyOf);
  replay('urlOf', cases?.unreverse, UNREVERSE, urlOf);
  replay('hostKeyOfRow', cases?.reversedHost, REVERSED_HOST, hostKeyOfRow);
  replay('hostRange', cases?.reverseHost, REVERSE_HOST, (host) => hostRange(host).start.slice(0, -1));
  replay('rowKeyOf and back', cases?.roundTrip, ROUND_TRIP, (url) => urlOf(rowKeyOf(url)));

  it('keys have the same order', () => {
    // UTF-16 order, which every store has because keys are ASCII.
    for (const { input, expected } of cases?.ordering ?? []) expect([...input].sort()).toEqual(expected);
  });

  it('ranges are the same', () => {
    for (const { input, expected } of cases?.domainRange ?? []) {
      const host = /^host (.*)$/.exec(input)?.[1];
      const prefix = /^(.*) prefix$/.exec(input)?.[1];
      const ours = host ? [hostRange(host)] : prefix ? [prefixRange(prefix)] : domainRanges(input);
      expect(ours.map(({ start, end }) => [start, end])).toEqual(expected);
    }
  });
});
