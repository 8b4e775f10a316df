import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentCodings, decodeBody } from '../../packages/fetch/http/content-coding.js';
import { allValues, joinedHeaders, redirectTarget, retryAfterSeconds } from '../../packages/fetch/http/http-headers.js';
import { decodeText, sniffContentType } from '../../packages/parse/index.js';
import { canonicalOf } from '../../packages/parse/html/head/head-link.js';
import { linksInHeader } from '../../packages/parse/html/head/link-header.js';
import { parseRefresh } from '../../packages/parse/html/head/refresh.js';
import { RobotsReader } from '../../packages/parse/shared/robots-directives.js';
import { mediaTypeOf } from '../../packages/util/index.js';
import { resolveLink } from '../../packages/url/index.js';
import { fuzzed } from '../support/runs.js';

const words = (text: string): fc.Arbitrary<string> => fc.constantFrom(...text.split(' '));
/** Header values as received: one character per byte. */
const noise = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const made = (pieces: string): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 6, arbitrary: words(pieces) }, { weight: 2, arbitrary: fc.constant(' ') }, noise), {
      maxLength: 12,
    })
    .map((all) => all.join(''));

describe('any header', () => {
  it('Content-Type and a body give a media type and a charset', () => {
    const type = made('text/html text/plain */* / ; , charset= "utf-8" utf-16 gbk x-user-defined " \\ image/png a');
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      words('<html> <?xml %PDF-1 \x89PNG \ufeff<a>').map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(body, type, made('nosniff , x'), (content, header, options) => {
        const type = mediaTypeOf(header) ?? '';
        expect(type).toMatch(/^$|^[^\s;,/A-Z]+\/[^\s;,/A-Z]+$/);
        const headers = { 'content-type': header, 'x-content-type-options': options };
        expect(sniffContentType(content, type, headers)).toMatch(/^[^\s;,/]+\/[^\s;,/]+$/);
        const { text, charset } = decodeText(content, header, 'windows-1252');
        expect(charset).toMatch(/^[a-z0-9-]+$/);
        expect(text.length).toBeLessThanOrEqual(2 * content.length);
        expect(Buffer.from(text).toString()).toBe(text);
      }),
      fuzzed(20_240_741, 2_000),
    );
  });

  it('Location leads to a URL that the table can hold, or nowhere', () => {
    const base = new URL('https://a.com/b/c?d');
    fc.assert(
      fc.property(made('/ // http: https: a.com @ : ? # .. %2e \\ [ ] \xe9 javascript: 80 \t'), (location) => {
        const target = redirectTarget(location, base);
        if (target === null) return;
        expect(new URL(target).href).toBe(target);
        expect(target).toMatch(/^https?:\/\/[^/?#@]+\/[!-~]*$/);
        expect(target).not.toContain('#');
        // A target sent escaped or as ASCII is not changed by parsing it again.
        expect(redirectTarget(target, base)).toBe(target);
      }),
      fuzzed(20_240_742, 4_000),
    );
  });

  it('Retry-After is a wait of at most a year, or nothing', () => {
    const now = Date.UTC(2024, 0, 1);
    const date = fc.date({ noInvalidDate: true }).map((at) => at.toUTCString());
    const long = fc.bigInt({ min: 0n, max: 10n ** 400n }).map(String);
    fc.assert(
      fc.property(fc.oneof(made('0 1 60 - + . e9 Mon, Jan 2024 GMT 10:00:00 ,'), date, long), (value) => {
        const seconds = retryAfterSeconds({ 'retry-after': value }, now);
        if (/^\d+$/.test(value)) expect(seconds).toBeDefined();
        if (seconds === undefined) return;
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(31_536_000);
      }),
      fuzzed(20_240_743, 3_000),
    );
  });

  it('X-Robots-Tag forbids only what it says, and the strictest value wins', () => {
    const text = made(
      'noindex nofollow none all noarchive : , ; \n bot: other: * unavailable_after: max-snippet:5 2024',
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (value, more) => {
        const said = (values: readonly string[]) => {
          const reader = new RobotsReader('bot', joinedHeaders({ 'x-robots-tag': values })['x-robots-tag']);
          return reader.directives;
        };
        const one = said([value]);
        const lower = value.toLowerCase();
        if (one.noindex) expect(lower).toMatch(/noindex|none/);
        if (one.nofollow) expect(lower).toMatch(/nofollow|none/);
        if (one.noarchive) expect(lower).toContain('noarchive');
        // Another header cannot allow anything again.
        const all = said([value, ...more]);
        for (const key of ['noindex', 'nofollow', 'noarchive'] as const) if (one[key]) expect(all[key]).toBe(true);
      }),
      fuzzed(20_240_744, 3_000),
    );
  });

  it('Refresh is a delay, with or without a URL', () => {
    fc.assert(
      fc.property(made('0 5 . ; , url= URL = " \' /next http://b.com \t 99999999999'), (content) => {
        const refresh = parseRefresh(content);
        if (!refresh) return;
        expect(refresh.delay).toBeGreaterThanOrEqual(0);
        expect(content).toContain(refresh.url ?? '');
      }),
      fuzzed(20_240_745, 3_000),
    );
  });

  it('Link names a canonical page only if it says so', () => {
    fc.assert(
      fc.property(
        made('<a> <b> < > ; rel= rel=canonical "canonical" " , \\ title="x, y" REL="Canonical x"'),
        (header) => {
          const found = canonicalOf(linksInHeader(header, 'http://h.com/'), (url) => url);
          if (found === undefined) return;
          const targets = Array.from(header.matchAll(/<([^>]*)>/g), ([, target]) =>
            resolveLink(target!, 'http://h.com/'),
          );
          expect(targets).toContain(found);
          expect(header).toMatch(/canonical/i);
        },
      ),
      fuzzed(20_240_746, 3_000),
    );
    const links = linksInHeader('<a>; rel="canonical"', 'http://h.com/');
    expect(canonicalOf(links, (url) => url)).toBe('http://h.com/a');
  });

  it('a name is safe, and values are joined', () => {
    const name = fc.oneof(words('__proto__ constructor toString link x-robots-tag'), fc.string({ maxLength: 8 }));
    const value = fc.oneof(noise, fc.array(noise, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (entries) => {
        const headers = Object.fromEntries(entries);
        const joined = joinedHeaders(headers);
        expect(Object.keys(joined)).toEqual(Object.keys(headers));
        for (const key of Object.keys(headers)) {
          if (key !== 'x-robots-tag') expect(joined[key]).toBe(allValues(headers, key));
        }
      }),
      fuzzed(20_240_747, 1_000),
    );
  });
});

describe('any content coding', () => {
  const CODERS = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
  const coding = fc.constantFrom(...(Object.keys(CODERS) as (keyof typeof CODERS)[]));
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .tuple(fc.uint8Array({ maxLength: 20 }), fc.integer({ min: 1, max: 2_000 }))
      .map(([piece, times]) => Buffer.concat(Array.from({ length: times }, () => piece))),
  );
  const encode = (body: Uint8Array, names: readonly (keyof typeof CODERS)[]): Uint8Array =>
    names.reduce<Uint8Array>((all, name) => CODERS[name](all), body);

  it('is decoded, up to the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.array(coding, { maxLength: 4 }),
        fc.integer({ min: -1, max: 50_000 }),
        async (body, names, limit) => {
          const { body: decoded, truncated } = await decodeBody(encode(body, names), names.join(', '), limit, false);
          const kept = limit < 0 ? body : body.subarray(0, limit);
          expect(Buffer.compare(decoded, kept)).toBe(0);
          expect(truncated).toBe(kept.length < body.length);
        },
      ),
      fuzzed(20_240_751, 400),
    );
  });

  it('that is cut or broken gives no more than the limit, and never throws', async () => {
    const damage = fc.tuple(fc.nat(500), fc.nat(500), fc.nat(255));
    const header = fc.oneof(
      fc.array(coding, { maxLength: 5 }).map((names) => names.join(',')),
      made('gzip deflate br zstd identity , utf-8 none'),
    );
    await fc.assert(
      fc.asyncProperty(content, fc.array(coding, { maxLength: 3 }), damage, header, fc.nat(3_000), async (...given) => {
        const [body, names, [cut, at, byte], said, limit] = given;
        const received = Buffer.from(encode(body, names)).subarray(0, -cut || undefined);
        if (received.length > 0) received[at % received.length] = byte;
        for (const value of [names.join(','), said]) {
          const { body: decoded } = await decodeBody(received, value, limit, cut > 0);
          expect(decoded.length).toBeLessThanOrEqual(limit);
          expect(contentCodings(value)?.length ?? 0).toBeLessThanOrEqual(4);
        }
      }),
      fuzzed(20_240_752, 400),
    );
  });

  it('deflate without its header is decoded if it is unambiguous', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (body) => {
        const raw = deflateRawSync(body);
        const [first = 0, second = 0] = raw;
        if ((first & 0x0f) === 8 && (first * 256 + second) % 31 === 0) return;
        expect(Buffer.compare((await decodeBody(raw, 'deflate', -1, false)).body, body)).toBe(0);
      }),
      fuzzed(20_240_753, 300),
    );
  });
});
