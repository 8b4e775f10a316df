/**
 * The pages of a batch in one slot are cut into chunks. The links of a chunk to a row are added in one change, which also writes the number
 * of the chunk into the row (`linkedUpTo`). So nothing is added twice, whenever and by whomever the links are added.
 */
import type { BatchHeader, ChunkSize, EntrySource } from '../../../webtable/index.js';

/** The links of consecutive pages of a batch in one slot. */
export interface LinkChunk {
  /** The batch and the slot of the pages, as `linkedUpTo` names them. */
  readonly name: string;
  readonly number: number;
}

const MAX_PAGES = 500;
const MAX_LINKS = 20_000;

/** @param maxLinks `db.updateMaxLinksInMemory` */
export const chunkSize = (maxLinks: number): ChunkSize => ({ pages: MAX_PAGES, links: Math.min(maxLinks, MAX_LINKS) });

/** Returns the batch id in the name of a chunk. */
export const batchOf = (name: string): string => name.split('/', 1)[0]!;

export function entrySourceOf({ name, number }: LinkChunk): EntrySource {
  const [run = '', slot = ''] = name.split('/');
  return { run, slot, part: String(number) };
}

export const chunkOfEntry = ({ run, slot, part }: EntrySource): LinkChunk => ({
  name: `${run}/${slot}`,
  number: Number(part),
});

/** Whether a row has the links of a chunk. @param numbers the numbers that the row has, in ranges, such as `0-7,9` */
export function hasChunk(numbers: string | undefined, number: number): boolean {
  return numbers !== undefined && rangesOf(numbers).some(([first, last]) => first <= number && number <= last);
}

/** Adds the number of a chunk to those that a row has. */
export function withChunk(numbers: string | undefined, number: number): string {
  if (numbers === undefined) return String(number);
  const ranges: [number, number][] = [];
  for (const range of [...rangesOf(numbers), [number, number] as const].sort(([a], [b]) => a - b)) {
    const last = ranges.at(-1);
    if (last && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1]);
    else ranges.push([...range]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join();
}

function rangesOf(numbers: string): (readonly [first: number, last: number])[] {
  return numbers.split(',').map((range) => {
    const [first = '', last = first] = range.split('-');
    return [Number(first), Number(last)];
  });
}

/** Numbers the chunks of a batch while its pages are read in order. */
export function createChunks({ batchId }: Pick<BatchHeader, 'batchId'>, size: ChunkSize) {
  let current: LinkChunk | undefined;
  let pages = 0;
  let links = 0;
  return {
    next(slot: string, ofPage: number): { readonly chunk: LinkChunk; readonly isFirst: boolean } {
      const name = `${batchId}/${slot}`;
      const isFirst = current?.name !== name || pages >= size.pages || links >= size.links;
      if (isFirst) {
        current = { name, number: current?.name === name ? current.number + 1 : 0 };
        pages = links = 0;
      }
      pages += 1;
      links += ofPage;
      return { chunk: current!, isFirst };
    },
  };
}
