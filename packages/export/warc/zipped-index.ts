import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { spacedJson } from './cdxj.js';

const LINES_PER_BLOCK = 300;

/** A sorted index in blocks, and the index of these blocks. Each block is a gzip member. */
interface ZippedIndex {
  /** The blocks in order. Read them to the end before {@link idx}. */
  readonly blocks: AsyncGenerator<Buffer>;
  /** Returns, for each block, the key of its first line, and the location of the block in the file. */
  idx(): string;
}

/**
 * A CDXJ index in the form of WACZ (1.1.1, section 5.2.2). The index of the blocks takes half a megabyte of memory for a million lines.
 * @param name of the file of the blocks
 */
export function zippedIndex(lines: AsyncIterable<Buffer>, name: string): ZippedIndex {
  const entries = [`!meta 0 ${spacedJson({ format: 'cdxj-gzip-1.0', filename: name })}\n`];
  let offset = 0;
  const zip = (block: readonly Buffer[]): Buffer => {
    const bytes = gzipSync(Buffer.concat(block));
    // A key may contain a brace, but no space.
    const [prefix] = block[0]!.toString('latin1').split(' {', 1);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    // Offset and length are numbers here, but texts in the lines of the index. Other programs write them in the same way.
    entries.push(`${prefix} ${spacedJson({ offset, length: bytes.length, digest })}\n`);
    offset += bytes.length;
    return bytes;
  };
  return {
    blocks: (async function* () {
      let block: Buffer[] = [];
      for await (const line of lines) {
        block.push(Buffer.from(line));
        if (block.length < LINES_PER_BLOCK) continue;
        yield zip(block);
        block = [];
      }
      if (block.length > 0) yield zip(block);
    })(),
    idx: () => entries.join(''),
  };
}
