import { describe, expect, it } from 'vitest';
import { secondsByPart } from '../../bench/lib/cpu-profile.js';

const DIST = 'file:///home/me/dist/';

/** The part of a sample with this stack, outermost function first: names, or names with a location after a space. */
function partOf(...stack: string[]): string | undefined {
  const nodes = ['(root)', ...stack].map((frame, i, all) => {
    const [, functionName = '', url = ''] = /^(.*?)(?: (\w+:.*))?$/.exec(frame) ?? [];
    return { id: i, callFrame: { functionName, url }, ...(i < all.length - 1 && { children: [i + 1] }) };
  });
  const parts = secondsByPart({ nodes, samples: [stack.length, 0], timeDeltas: [7, 2_000_000] }, DIST);
  const [part] = [...parts].find(([, seconds]) => seconds === 2) ?? [];
  return part;
}

describe('secondsByPart', () => {
  const scan = `scan ${DIST}packages/parse/html/scan/html-scan.js`;
  const charset = `decode ${DIST}packages/parse/charset/charset.js`;
  it.each([
    ['HTML scan', [scan]],
    ['text', [scan, `add ${DIST}packages/parse/shared/text-builder.js`]],
    ['parse5', [scan, 'next file:///x/node_modules/parse5/dist/tokenizer/index.js']],
    ['HTML scan', [scan, 'toLowerCase']],
    ['charset decoding', [charset, 'decode node:internal/encoding', 'decodeUTF8']],
    ['URLs and rules', [`parse ${DIST}packages/url/parse-url.js`, 'URL node:internal/url', 'parse']],
    [
      'LevelDB calls',
      [
        `write ${DIST}webtable/stores/level/write/write.js`,
        'write file:///a/node_modules/classic-level/index.js',
        'batch_write',
      ],
    ],
    ['table codec and indexes', [`write ${DIST}webtable/stores/level/write/write.js`]],
    [
      'undici',
      ['onData node:net', 'parse file:///a/node_modules/undici/lib/client.js', 'wasm-function[3] wasm://wasm/1'],
    ],
    ['node internals', ['read node:net']],
    ['node internals', ['runMicrotasks']],
    ['messages between threads', [`give ${DIST}packages/jobs/parsing/parse-thread.js`, 'postMessage']],
    ['start-up: loading modules', ['run node:internal/modules/esm/module_job', `top ${DIST}packages/url/host.js`]],
    ['garbage collection', [scan, '(garbage collector)']],
    ['outside JavaScript', ['(program)']],
    ['idle', ['(idle)']],
    ['other', [`constructor ${DIST}packages/webcrawl/internal.js`]],
    ['other', ['constructor file:///somewhere/else.js']],
  ])('%s: %j', (part, stack) => {
    expect(partOf(...stack)).toBe(part);
  });

  it('gives each sample the time until the next one; the last one gets none', () => {
    const frame = (functionName: string) => ({ functionName, url: '' });
    const nodes = [
      { id: 1, callFrame: frame('(root)'), children: [2, 3] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('(program)') },
    ];
    const seconds = secondsByPart({ nodes, samples: [2, 3, 2, 3], timeDeltas: [9e6, 1e6, 2e6, 4e6] }, DIST);
    expect(seconds).toEqual(
      new Map([
        ['idle', 5],
        ['outside JavaScript', 2],
      ]),
    );
    expect(secondsByPart({ nodes, samples: [], timeDeltas: [] }, DIST)).toEqual(new Map());
  });
});
