import { expect, test } from 'vitest';
import type { IndexReader } from '../../packages/index/index.js';
import { boundedReader } from '../../packages/search/bounded-reader.js';
import { turns } from '../support/events.js';

/** A server that answers when it is let. */
function slowReader() {
  const asked: { readonly term: string; readonly answer: () => void }[] = [];
  const reader = {
    similar: (term: string) =>
      new Promise((resolve) => asked.push({ term, answer: () => resolve([{ term, documents: 1 }]) })),
    close: () => Promise.resolve(),
  } as unknown as IndexReader;
  return { reader, asked, terms: () => asked.map(({ term }) => term) };
}

test('asks so many questions at a time, the others in their order, and refuses more', async () => {
  const { reader, asked, terms } = slowReader();
  const bounded = boundedReader(reader, { mostUnderWay: 2, mostWaiting: 2 });
  const answers = ['a', 'b', 'c', 'd'].map((term) => bounded.similar(term));
  await expect(bounded.similar('e')).rejects.toMatchObject({ code: 'SEARCH_BUSY' });
  expect(terms()).toEqual(['a', 'b']);
  asked[1]!.answer();
  expect(await answers[1]).toEqual([{ term: 'b', documents: 1 }]);
  await turns();
  expect(terms()).toEqual(['a', 'b', 'c']);
  asked[0]!.answer();
  await turns();
  expect(terms()).toEqual(['a', 'b', 'c', 'd']);
  for (const { answer } of asked) answer();
  await Promise.all(answers);
  // All turns are free again.
  void bounded.similar('f');
  void bounded.similar('g');
  await turns();
  expect(terms().slice(4)).toEqual(['f', 'g']);
});

test('a client that has gone is not waited for, nor its question asked; one that is asked keeps its turn', async () => {
  const { reader, asked, terms } = slowReader();
  const bounded = boundedReader(reader, { mostUnderWay: 1 });
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = [bounded.similar('a', first.signal), bounded.similar('b', second.signal), bounded.similar('c')];
  second.abort(new Error('gone'));
  await expect(answers[1]).rejects.toThrow('gone');
  await turns();
  first.abort(new Error('gone too'));
  await expect(answers[0]).rejects.toThrow('gone too');
  await turns();
  expect(terms()).toEqual(['a']);
  asked[0]!.answer();
  await turns();
  expect(terms()).toEqual(['a', 'c']);
  asked[1]!.answer();
  expect(await answers[2]).toEqual([{ term: 'c', documents: 1 }]);
});

test('who waits too long is refused', async () => {
  const { reader } = slowReader();
  const bounded = boundedReader(reader, { mostUnderWay: 1, waitLimit: 1 });
  void bounded.similar('a');
  await expect(bounded.similar('b')).rejects.toMatchObject({ code: 'SEARCH_BUSY' });
});
