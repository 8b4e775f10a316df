import { expect, test } from 'vitest';
import { createLinkStore } from '../../../packages/audit/collect/link-store.js';
import { packLink, type LinkRecord } from '../../../packages/audit/collect/records.js';
import { Sources } from '../../../packages/audit/collect/sources.js';
import { testFolder } from '../../support/files/temp-folder.js';

const linkOf = (source: number, anchor: string): LinkRecord => ({
  source,
  kind: 0,
  rel: 0,
  line: source + 1,
  fragment: '',
  anchor,
});

test('stores the links of targets with findings, and only these, also if they exceed its memory', async () => {
  await using store = await createLinkStore(testFolder(), 1);
  const add = (link: LinkRecord, ...to: Sources[]) => store.add(packLink(link), to);
  const many = Array.from({ length: 40_000 }, (_, i) => linkOf(i, `anchor ${i}`));
  const [both, odd, unwanted] = [new Sources(), new Sources(), new Sources()];
  for (const link of many) await add(link, ...(link.source % 2 === 1 ? [both, odd] : [both]));
  const [ofOdd, ofBoth] = [store.keep(odd), store.keep(both)];
  expect(store.keep(odd)).toBe(ofOdd);
  await store.endTarget();
  for (const link of many) await add(link, unwanted);
  await store.endTarget();
  const [few, none] = [new Sources(), new Sources()];
  await add(linkOf(7, 'ü'), few);
  const [ofFew, ofNone] = [store.keep(few), store.keep(none)];
  await store.endTarget();
  await store.end();
  const read = async (kept: number): Promise<LinkRecord[]> => {
    const links: LinkRecord[] = [];
    for await (const link of store.read(kept)) links.push(link);
    return links;
  };
  expect(await read(ofFew)).toEqual([linkOf(7, 'ü')]);
  expect(await read(ofNone)).toEqual([]);
  expect(await read(ofOdd)).toEqual(many.filter(({ source }) => source % 2 === 1));
  expect(await read(ofBoth)).toEqual(many);
});
