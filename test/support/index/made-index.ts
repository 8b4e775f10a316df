import { mkdir } from 'node:fs/promises';
import type { IndexDocument } from '../../../packages/plugin-api/index.js';
import { createWords, openSqliteWriter } from '../../../packages/index/index.js';
import { rowKeyOf } from '../../../webtable/index.js';

/** The fields of a document in a test; the others are empty. */
export type MadeDocument = Partial<Omit<IndexDocument, 'key'>> & { readonly url: string };

/** A document with all its fields. */
export function madeDocument({ url, ...rest }: MadeDocument): IndexDocument {
  return {
    key: rowKeyOf(url),
    url,
    title: '',
    headings: '',
    anchors: '',
    text: '',
    language: 'en',
    fetchedAt: 0,
    modifiedAt: 0,
    rank: 0,
    fingerprint: JSON.stringify(rest),
    ...rest,
  };
}

/** Writes documents into the index of a folder, which is created if missing, and returns the name of its words. */
export async function makeIndex(folder: string, documents: readonly MadeDocument[], isWhole = true): Promise<string> {
  await mkdir(folder, { recursive: true });
  const words = await createWords();
  const writer = await openSqliteWriter(folder, 'table', words);
  await writer.apply(documents.map((each) => ({ type: 'put', document: madeDocument(each) })));
  if (isWhole) await writer.markWhole();
  await writer.close();
  return words.name;
}
