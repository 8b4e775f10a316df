import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { describe, expect, it } from 'vitest';
import { pageView, type SkippedCounter } from '../../../packages/export/stated/page-view.js';
import { readBlocks } from '../../../packages/export/markdown/read-blocks.js';
import { openContext, pageDump } from '../../../packages/webcrawl/internal.js';

function bodyOf(html: string): Tree.Element {
  const [root] = parse(`<!doctype html>${html}`).childNodes.slice(-1) as Tree.Element[];
  return root!.childNodes.at(-1) as Tree.Element;
}

const endless = (): never => {
  for (;;);
};

async function aPage(settings: Record<string, unknown> = {}) {
  const crawl = await openContext({ table: 'memory:', settings });
  const row = { key: 'com.a:http/', title: 'T', content: Buffer.from('<main><h1>Tides</h1><p>High.</main>') };
  const counted: SkippedCounter[] = [];
  const count = (name: SkippedCounter): void => void counted.push(name);
  return { crawl, row, counted, count, view: pageView(row, crawl.settings, count) };
}

describe('the limits on computed fields', () => {
  it('leave out a field that needs too many steps, and keep the others', async () => {
    const { view, counted } = await aPage();
    const steps = (): never => {
      for (;;) view.step();
    };
    const oneStep = (): string => {
      view.step();
      return 'a';
    };
    expect([view.within(steps), view.within(oneStep), view.within(steps)]).toEqual([undefined, 'a', undefined]);
    expect(counted).toEqual(['field_over_limit', 'field_over_limit']);
  });

  it('leave out the fields of a page that takes too long, and keep the stored ones', async () => {
    const { crawl, row, counted, count, view } = await aPage({ parser: { timeout: 0.05 } });
    expect(view.within(endless)).toBeUndefined();
    const { dump } = await pageDump(crawl.settings, ['title', 'markdown', 'author']);
    expect(dump(row, count)).toEqual({ key: row.key, url: 'http://a.com/', title: 'T' });
    expect(counted).toEqual(['field_over_limit', 'field_over_limit', 'field_over_limit']);
  });

  it('pass on the errors of a field', async () => {
    const { view } = await aPage();
    const error = new TypeError('x');
    expect(() =>
      view.within(() => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('count each node of the main content as a step', () => {
    let steps = 0;
    readBlocks(bodyOf('<p>a<b>b</b></p><ul><li>c</ul>'), () => void steps++);
    expect(steps).toBeGreaterThanOrEqual(6);
  });
});

it('reads the siblings of ruby annotations once', () => {
  const body = bodyOf(`<ruby>${'<rt>a'.repeat(500)}</ruby>`);
  const [ruby] = body.childNodes;
  const { childNodes } = ruby as { childNodes: unknown[] };
  let reads = 0;
  Object.defineProperty(ruby, 'childNodes', { get: () => (reads++, childNodes) });
  readBlocks(body);
  expect(reads).toBeLessThan(10);
});
