import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openJsonLinesWriter } from '../../packages/index/index.js';
import type { IndexChange, IndexDocument, IndexWriter } from '../../packages/plugin-api/index.js';
import { checkWriter, keyOf, numbered, put } from '../support/index/writer-suite.js';
import { randomNumbers } from '../support/web/fake-web.js';

let root: string;
let folder: string;
let made = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'webcrawl-json-lines-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  folder = join(root, String(++made));
  await mkdir(folder);
});

const open = (table = 'a table'): Promise<IndexWriter> => openJsonLinesWriter(folder, table);
const linesOf = async (name: string): Promise<unknown[]> =>
  (await readFile(join(folder, name), 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

/** What a program makes of the files that reads them as docs/SEARCH.md says. */
async function documentsRead(): Promise<unknown[]> {
  const documents = new Map<string, Record<string, unknown>>();
  for (const document of (await linesOf('documents.jsonl')) as IndexDocument[])
    documents.set(document.key, { ...document });
  for (const name of (await readdir(folder)).filter((each) => each.startsWith('changes-'))) {
    for (const line of (await linesOf(name)) as { put?: IndexDocument; touch?: { key: string }; remove?: string }[]) {
      const { put: document, touch, remove } = line;
      if (document) documents.set(document.key, { ...document });
      else if (touch) Object.assign(documents.get(touch.key)!, touch);
      else documents.delete(remove!);
    }
  }
  return [...documents.keys()].sort().map((key) => documents.get(key));
}

test('adds, replaces, ranks and removes; again changes nothing', async () => {
  await checkWriter(() => open());
});

test('changes are lines of their own until the whole table was compared', async () => {
  const writer = await open();
  await writer.apply([put(2), put(1)]);
  await writer.markWhole();
  expect(await linesOf('documents.jsonl')).toEqual([numbered(1), numbered(2)]);
  await writer.apply([put(1, { text: 'new\u2028text' }), { type: 'remove', key: keyOf(2) }, put(3)]);
  await writer.apply([{ type: 'touch', key: keyOf(3), rank: 0.9, fetchedAt: 7 }]);
  expect(await linesOf('changes-2.jsonl')).toEqual([
    { put: numbered(1, { text: 'new\u2028text' }) },
    { remove: keyOf(2) },
    { put: numbered(3) },
    { touch: { key: keyOf(3), rank: 0.9, fetchedAt: 7 } },
  ]);
  const read = await documentsRead();
  await writer.markWhole();
  expect(await readdir(folder)).toEqual(['about.json', 'changes-3.jsonl', 'documents.jsonl']);
  expect(await linesOf('documents.jsonl')).toEqual(read);
  expect(read).toEqual([numbered(1, { text: 'new\u2028text' }), numbered(3, { rank: 0.9, fetchedAt: 7 })]);
  await writer.close();
});

test('changes are merged when they are many, also amid a walk, and never for those that change nothing', async () => {
  const mergeAt = { keys: 4, bytes: 1 << 20 };
  let writer = await openJsonLinesWriter(folder, 'a table', mergeAt);
  await writer.apply([put(1), put(2), put(3)]);
  expect(await linesOf('documents.jsonl')).toEqual([]);
  expect((await writer.entries(undefined, 2)).map(({ key }) => key)).toEqual([1, 2].map(keyOf));
  await writer.apply([put(9), { type: 'remove', key: keyOf(1) }]);
  expect(await readdir(folder)).toEqual(['about.json', 'changes-2.jsonl', 'documents.jsonl']);
  expect(await linesOf('documents.jsonl')).toEqual([2, 3, 9].map((n) => numbered(n)));
  expect((await writer.entries(keyOf(2), 9)).map(({ key }) => key)).toEqual([3, 9].map(keyOf));
  expect(writer.isWhole).toBe(false);
  await writer.apply([put(2), put(3)]);
  expect(await readdir(folder)).toContain('changes-2.jsonl');
  await writer.close();
  writer = await openJsonLinesWriter(folder, 'a table', { keys: 1000, bytes: 1000 });
  for (let n = 10; n < 30; n++) await writer.apply([put(n), { type: 'touch', key: keyOf(2), rank: n, fetchedAt: n }]);
  const generations = (await readdir(folder)).filter((name) => name.startsWith('changes-'));
  expect(generations).toHaveLength(1);
  expect(Number(/\d+/.exec(generations[0]!)![0])).toBeGreaterThan(3);
  const read = (await documentsRead()) as { key: string }[];
  expect(read.map(({ key }) => key)).toEqual((await writer.entries(undefined, 99)).map(({ key }) => key));
  expect(read).toHaveLength(23);
  await writer.close();
});

test('files of another program are refused, and stay', async () => {
  await writeFile(join(folder, 'changes-1.jsonl'), 'notes of mine\n');
  await expect(open()).rejects.toMatchObject({
    code: 'BAD_SETTING',
    message: expect.stringContaining('changes-1.jsonl') as string,
  });
  expect(await readFile(join(folder, 'changes-1.jsonl'), 'utf8')).toBe('notes of mine\n');
});

test('random changes end in the documents that they make, however often it is opened and merged', async () => {
  const random = randomNumbers(7);
  const below = (n: number): number => Math.floor(random() * n);
  const expected = new Map<string, IndexDocument>();
  let writer = await open();
  for (let step = 0; step < 40; step++) {
    const numbers = new Set(Array.from({ length: 30 }, () => below(300)));
    const changes = [...numbers].map((n): IndexChange => {
      const key = keyOf(n);
      const known = expected.get(key);
      if (random() < 0.25) {
        expected.delete(key);
        return { type: 'remove', key };
      }
      if (known && random() < 0.4) {
        const touch = { rank: random(), fetchedAt: step };
        expected.set(key, { ...known, ...touch });
        return { type: 'touch', key, ...touch };
      }
      const document = numbered(n, { text: `${step} ${'x'.repeat(below(30_000))}` });
      expected.set(key, document);
      return { type: 'put', document };
    });
    await writer.apply(changes);
    if (random() < 0.2) await writer.markWhole();
    if (random() < 0.3) {
      await writer.close();
      writer = await open();
    }
  }
  const wanted = [...expected.keys()].sort().map((key) => expected.get(key)!);
  expect(await documentsRead()).toEqual(wanted);
  const entries = [];
  for (
    let after: string | undefined, step;
    (step = await writer.entries(after, 7)).length > 0;
    after = step.at(-1)!.key
  )
    entries.push(...step);
  expect(entries).toEqual(
    wanted.map(({ key, rank, fetchedAt, fingerprint }) => ({ key, rank, fetchedAt, fingerprint })),
  );
  await writer.markWhole();
  expect(await linesOf('documents.jsonl')).toEqual(wanted);
  await writer.close();
});

test('half a line, and changes that were merged already, are nothing', async () => {
  let writer = await open();
  await writer.apply([put(1), put(2)]);
  await writer.close();
  await appendFile(join(folder, 'changes-1.jsonl'), '{"put":{"key":"com.exa');
  writer = await open();
  await writer.apply([{ type: 'remove', key: keyOf(1) }]);
  const changes = await readFile(join(folder, 'changes-1.jsonl'));
  await writer.markWhole();
  await writer.close();
  // Killed behind the new documents; and behind the new file of changes.
  for (const later of [false, true]) {
    await writeFile(join(folder, 'changes-1.jsonl'), changes);
    if (!later) await rm(join(folder, 'changes-2.jsonl'));
    writer = await open();
    expect((await writer.entries(undefined, 9)).map(({ key }) => key)).toEqual([keyOf(2)]);
    await writer.markWhole();
    await writer.close();
    expect(await linesOf('documents.jsonl')).toEqual([numbered(2)]);
  }
});

test('two writers that are open at once lose nothing of what they write in turn', async () => {
  const [one, two] = [await open(), await open()];
  await one.apply([put(1)]);
  await two.apply([put(2, { text: 'another length' })]);
  await one.apply([put(3), put(2)]);
  await two.apply([put(4)]);
  await two.markWhole();
  await one.apply([put(5), { type: 'remove', key: keyOf(4) }]);
  await one.markWhole();
  await one.close();
  await two.close();
  expect(await documentsRead()).toEqual([1, 2, 3, 5].map((n) => numbered(n)));
});

test('a whole index of which a file is missing is made anew, also where it goes while it is open', async () => {
  for (const name of ['documents.jsonl', 'changes-2.jsonl']) {
    const first = await open();
    await first.apply([put(1)]);
    await first.markWhole();
    await first.close();
    await rm(join(folder, name));
    const second = await open();
    expect([second.isWhole, second.id === first.id, await second.entries(undefined, 9)]).toEqual([false, false, []]);
    await rm(folder, { recursive: true });
    await mkdir(folder);
    await expect(second.apply([put(2)])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await second.close();
    await rm(folder, { recursive: true });
    await mkdir(folder);
  }
});

test('is refused where it is of another table or program, and made anew where it is of another format', async () => {
  let writer = await open();
  await writer.apply([put(1)]);
  await writer.markWhole();
  await writer.close();
  await expect(open('another')).rejects.toMatchObject({ code: 'WRONG_INDEX' });
  await writeFile(join(folder, 'about.json'), '{"format":"0","table":"a table","isWhole":true}');
  writer = await open();
  expect([writer.isWhole, await writer.entries(undefined, 1)]).toEqual([false, []]);
  await writer.close();
  await rm(join(folder, 'about.json'));
  await expect(open()).rejects.toMatchObject({ code: 'BAD_SETTING' });
  await writeFile(join(folder, 'about.json'), 'no JSON');
  await expect(open()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  folder = join(folder, 'missing');
  await expect(open()).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
