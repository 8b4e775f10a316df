import { createHash } from 'node:crypto';
import { mkdir, open, readFile, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  SegmentFolder,
  type ContentLocation,
  type ContentRecord,
  type SegmentFolderOptions,
} from '../../../webtable/index.js';
import { httpHead } from '../../../webtable/content/http-head.js';
import { recordsOf } from '../../support/files/segment-records.js';
import { testFolder } from '../../support/files/temp-folder.js';

let directory: string;
beforeEach(() => void (directory = testFolder()));

function folder(options: SegmentFolderOptions = {}): SegmentFolder {
  const made = new SegmentFolder(directory, { clock: () => Date.UTC(2026, 0, 5), ...options });
  onTestFinished(() => made.close());
  return made;
}

const url = (n: number): string => `http://a.com/${n}`;
const page = (n: number, body = `body ${n}`): ContentRecord => {
  return { kind: 'response', url: url(n), date: n, head: 'HTTP/1.1 200 OK\r\nX-N: 1\r\n', body: Buffer.from(body) };
};
/** Bodies as text, or null if there is none. */
async function texts(store: SegmentFolder, places: readonly ContentLocation[]): Promise<(string | null)[]> {
  return (await store.read(places)).map((found) => (found ? Buffer.from(found.body).toString() : null));
}
const segments = async (): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name.endsWith('.warc.gz')).sort();
const bytesOf = async (segment: string): Promise<Buffer> => readFile(join(directory, `${segment}.warc.gz`));

describe('a folder of segments', () => {
  it('creates nothing before the first write, and reads nothing if nothing exists', async () => {
    const nowhere = { segment: '20260105000000-00000000', offset: 0, length: 10 };
    const store = folder();
    expect(await store.read([nowhere])).toEqual([undefined]);
    expect(await store.has(nowhere)).toBe(false);
    expect(await store.isMostlyDead()).toBe(false);
    expect(await readdir(directory)).toEqual([]);
  });

  it.each(['a folder', 'a link to itself'])('is empty if %s is in the place of a segment', async (what) => {
    const store = folder();
    const [place] = await store.append([page(1)]);
    await store.close();
    const path = join(directory, `${place!.segment}.warc.gz`);
    await rm(path);
    if (what === 'a folder') await mkdir(path);
    else await symlink(path, path);
    const again = folder();
    expect(await again.has(place!)).toBe(false);
    expect(await texts(again, [place!])).toEqual([null]);
    const compaction = await again.compaction();
    compaction.note([place!]);
    if (await compaction.begin()) expect(await compaction.move([place!])).toEqual([undefined]);
    const [next] = await again.append([page(2)]);
    expect(await texts(again, [next!])).toEqual(['body 2']);
  });

  it('returns what was appended, in the order of the request, also after it is opened again', async () => {
    const store = folder();
    const some = await store.append([page(1), page(2, ''), page(3, 'x'.repeat(200_000))]);
    const more = await store.append([page(4, '\r\n\r\nnot a head')]);
    const places = [...more, some[2]!, some[0]!, some[1]!];
    const expected = ['\r\n\r\nnot a head', 'x'.repeat(200_000), 'body 1', ''];
    expect(await texts(store, places)).toEqual(expected);
    expect((await store.read(places)).map((found) => found?.url)).toEqual([4, 3, 1, 2].map(url));
    await store.close();
    expect(await texts(folder(), places)).toEqual(expected);
    await expect(store.append([page(5)])).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('reads records that are close together, far apart, or requested twice', async () => {
    const store = folder();
    const sizes = [10, 70_000, 20, 300_000, 30, 40, 900_000, 50];
    const bodies = sizes.map((size, n) => `${n}`.repeat(size));
    const places = await store.append(bodies.map((body, n) => page(n, body)));
    const cut = { ...places.at(-1)!, length: places.at(-1)!.length + 1 };
    const order = [7, 0, 4, 2, 0, 5, 1, 6, 3];
    const found = await texts(store, [cut, ...order.map((n) => places[n]!)]);
    expect(found).toEqual([null, ...order.map((n) => bodies[n])]);
  });

  it('keeps concurrent appends apart', async () => {
    const store = folder();
    const places = (await Promise.all(Array.from({ length: 40 }, (_, n) => store.append([page(n)])))).flat();
    expect(await texts(store, places)).toEqual(places.map((_, n) => `body ${n}`));
    expect(await segments()).toHaveLength(1);
  });

  it('starts a new segment when one is full, and for each process', async () => {
    const store = folder({ segmentBytes: 2000 });
    const noise = (n: number): ContentRecord => page(n, createHash('sha512').update(`${n}`).digest('hex').repeat(4));
    const places = await store.append(Array.from({ length: 10 }, (_, n) => noise(n)));
    const names = await segments();
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) expect((await readFile(join(directory, name))).length).toBeLessThanOrEqual(2000);
    const large = await store.append([
      page(11, Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 7919) % 251)).toString('latin1')),
    ]);
    const other = await folder().append([page(12)]);
    expect(new Set([...places, ...large, ...other].map(({ segment }) => segment)).size).toBe((await segments()).length);
    expect((await store.read([...places, ...large, ...other])).every((found) => found)).toBe(true);
  });

  it('does not return bytes that differ from the stored ones', async () => {
    const store = folder();
    const [place] = await store.append([page(1, 'body '.repeat(100))]);
    const path = join(directory, `${place!.segment}.warc.gz`);
    const bytes = await readFile(path);
    for (let at = place!.offset + 10; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0xff;
      await writeFile(path, changed);
      expect(await texts(store, [place!]), `byte ${at}`).toEqual([null]);
    }
    expect(await texts(store, [{ ...place!, offset: 0 }])).toEqual([null]);
    expect(await texts(store, [{ ...place!, length: place!.length - 1 }])).toEqual([null]);
  });

  it('reads all but the last record if that is incomplete at any byte, and appends to a new segment', async () => {
    const store = folder();
    const places = await store.append([page(1), page(2), page(3)]);
    await store.close();
    const last = places[2]!;
    const path = join(directory, `${last.segment}.warc.gz`);
    for (let size = last.offset + last.length - 1; size >= last.offset; size--) {
      await truncate(path, size);
      const reader = folder();
      expect(await texts(reader, places)).toEqual(['body 1', 'body 2', null]);
      expect(await Promise.all(places.map((place) => reader.has(place)))).toEqual([true, true, false]);
      expect(recordsOf(await bytesOf(last.segment)).map(({ headers }) => headers.get('warc-target-uri'))).toEqual([
        undefined,
        url(1),
        url(2),
      ]);
    }
    const again = folder();
    const [next] = await again.append([page(4)]);
    expect(next!.segment).not.toBe(last.segment);
    expect(await texts(again, [...places, next!])).toEqual(['body 1', 'body 2', null, 'body 4']);
  });

  it('reads the other segments if one is lost', async () => {
    const [lost] = await folder().append([page(1)]);
    const store = folder();
    const [kept] = await store.append([page(2)]);
    await rm(join(directory, `${lost!.segment}.warc.gz`));
    expect(await texts(store, [lost!, kept!])).toEqual([null, 'body 2']);
    expect(await store.has(lost!)).toBe(false);
  });

  describe('on a full disk', () => {
    /** Files with room for a number of bytes, which then fail, also in the middle of a record. */
    function full(room: number, { cut = true } = {}): { options: SegmentFolderOptions; free(): void } {
      let left = room;
      const noSpace = (): Error => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const create: NonNullable<SegmentFolderOptions['create']> = async (path) => {
        const file = await open(path, 'wx');
        return {
          async writev(parts, position) {
            if (left === 0) throw noSpace();
            const some = Buffer.concat(parts).subarray(0, Math.min(left, 100));
            left -= some.length;
            return file.write(some, 0, some.length, position);
          },
          async truncate(length) {
            if (!cut) throw noSpace();
            await file.truncate(length);
          },
          close: () => file.close(),
        };
      };
      return { options: { create }, free: () => void (left = Infinity) };
    }

    it.each([true, false])(
      'throws STORE_FULL, keeps what was stored, and continues when there is room (cut back: %s)',
      async (cut) => {
        for (let room = 0; room < 2000; room += 130) {
          const disk = full(room, { cut });
          const store = folder(disk.options);
          const stored: ContentLocation[] = [];
          for (let n = 0; n < 20; n++) {
            try {
              stored.push(...(await store.append([page(n)])));
            } catch (error) {
              expect(error).toMatchObject({ code: 'STORE_FULL' });
              break;
            }
          }
          disk.free();
          const before = stored.length;
          stored.push(...(await store.append([page(before)])));
          expect(await texts(store, stored)).toEqual(stored.map((_, n) => `body ${n}`));
          await store.close();
          if (!cut) continue;
          for (const name of await segments()) {
            const bytes = await readFile(join(directory, name));
            const last = recordsOf(bytes).at(-1)!;
            expect(last.offset + last.length).toBe(bytes.length);
          }
        }
      },
    );
  });
});

describe('the records of a segment', () => {
  const digest = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');
  const hexOf = (value: string): string => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    const bits = [...value.replace('sha1:', '')].map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('');
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2))).toString('hex');
  };

  it('have the digest that was computed before', async () => {
    const store = folder();
    const [place] = await store.append([
      { kind: 'response', url: url(1), date: 1, body: Buffer.from('a'), sha1: digest(Buffer.from('other')) },
    ]);
    const [record] = await store.records([place!]);
    expect(hexOf(record!.headers.get('warc-payload-digest')!)).toBe(digest(Buffer.from('other')));
  });

  it('are WARC 1.1: the received head as far as it fits the decoded body, and the digest of the body', async () => {
    const store = folder();
    const head = httpHead('HTTP/1.1 200 Very OK', [
      ['Content-Type', 'text/html'],
      ['CONTENT-encoding', 'gzip'],
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '5'],
      ['X-Caf\u00e9', 'a\r\nb'],
      ['Set-Cookie', 'key=1'],
      ['X-Twice', '1'],
      ['x-twice', '2'],
    ]);
    const body = Buffer.from('<p>hello</p>');
    const [place] = await store.append([
      { kind: 'response', url: url(1), date: 1_767_571_200_123, head, body, truncated: 'length' },
    ]);
    const [info, record] = recordsOf(await bytesOf(place!.segment));
    expect(info!.headers.get('warc-type')).toBe('warcinfo');
    expect(info!.headers.get('warc-filename')).toBe(`${place!.segment}.warc.gz`);
    expect(Buffer.from(info!.block).toString()).toContain('software: webcrawl');
    expect(record).toMatchObject(place!.offset === record!.offset ? { length: place!.length } : {});
    expect(Object.fromEntries(record!.headers)).toMatchObject({
      'warc-type': 'response',
      'warc-target-uri': url(1),
      'warc-date': '2026-01-05T00:00:00.123Z',
      'warc-truncated': 'length',
      'content-type': 'application/http; msgtype=response',
    });
    expect(record!.headers.get('warc-record-id')).toMatch(/^<urn:uuid:[0-9a-f-]{36}>$/);
    expect(Buffer.from(record!.block).toString('latin1')).toBe(
      'HTTP/1.1 200 Very OK\r\nContent-Type: text/html\r\nX-Crawler-CONTENT-encoding: gzip\r\n' +
        'X-Crawler-Transfer-Encoding: chunked\r\nX-Crawler-Content-Length: 5\r\nX-Caf\u00e9: a  b\r\nX-Twice: 1\r\nx-twice: 2\r\n' +
        'Content-Length: 12\r\n\r\n<p>hello</p>',
    );
    expect(hexOf(record!.headers.get('warc-payload-digest')!)).toBe(digest(body));
    // The checksum of the gzip member covers the block.
    expect(record!.headers.has('warc-block-digest')).toBe(false);
  });

  it('are a resource for protocols other than HTTP', async () => {
    const store = folder();
    const body = Buffer.from('x');
    const [place] = await store.append([{ kind: 'response', url: url(1), date: 0, body, contentType: 'a/b\r\nX: y' }]);
    const [, record] = recordsOf(await bytesOf(place!.segment));
    expect(record!.headers.get('warc-type')).toBe('resource');
    expect(record!.headers.get('content-type')).toBe('a/b  X: y');
    expect(await texts(store, [place!])).toEqual(['x']);
  });

  it('are a revisit that refers to the earlier record if the server says that nothing has changed', async () => {
    const store = folder();
    const [place] = await store.append([page(1, 'long '.repeat(10_000))]);
    const head = 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n';
    const [visit] = await store.append([{ kind: 'revisit', url: url(1), date: 5, head, refersTo: place! }]);
    const [, original, record] = recordsOf(await bytesOf(place!.segment));
    expect(Object.fromEntries(record!.headers)).toMatchObject({
      'warc-type': 'revisit',
      'warc-profile': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
      'warc-refers-to': original!.headers.get('warc-record-id'),
      'warc-refers-to-target-uri': url(1),
      'warc-refers-to-date': '1970-01-01T00:00:00.001Z',
      'warc-payload-digest': original!.headers.get('warc-payload-digest'),
    });
    expect(Buffer.from(record!.block).toString()).toBe(`${head}\r\n`);
    expect(await texts(store, [visit!])).toEqual([null]);
    await rm(join(directory, `${place!.segment}.warc.gz`));
    const [unknown] = await folder().append([{ kind: 'revisit', url: url(1), date: 5, refersTo: place! }]);
    expect(recordsOf(await bytesOf(unknown!.segment))[1]!.headers.has('warc-refers-to')).toBe(false);
  });
});
