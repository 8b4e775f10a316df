import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { addArticle, noMainContentScore } from '../../bench/lib/main-content-score.js';
import { formatTable } from '../../bench/lib/table.js';
import { runWorker } from '../../bench/lib/worker.js';
import { resultOf } from '../../bench/main-content.js';

it('a failed extractor is listed below the others, with the first line of its error', () => {
  const score = { ...noMainContentScore(), pages: 2, right: 3, wrong: 1, missing: 2 };
  const sample = { name: 'one', fragments: score, heldOut: { ...score, wrong: 0 }, articles: score, cpuMs: 10 };
  const failed = [{ name: 'two', failed: 'job.js ended with 1: ImportError: no such module' }];
  const { columns, rows } = resultOf([sample, ...failed], []);
  expect(rows[0]).toMatchObject({ precision: 0.75, recall: 0.6, heldOutPrecision: 1, heldOutRecall: 0.6, cpuMs: 5 });
  const [head, , one, two] = formatTable(columns, rows).split('\n');
  expect(head).toMatch(/failed$/);
  expect(one).toMatch(/^one .*0\.750/);
  expect(two).toMatch(/^two .*ended with 1: ImportError: no such module$/);
  expect(resultOf([sample], []).columns.at(-1)).toMatchObject({ key: 'cpuMs' });
});

it('a failed worker is reported with the first line of its error', async () => {
  const work = await mkdtemp(join(tmpdir(), 'webcrawl-bench-test-'));
  const script = join(work, 'job.mjs');
  try {
    await writeFile(
      script,
      `console.error('Traceback:\\n  File\\nImportError: no lxml\\n'); throw new TypeError('later')`,
    );
    await expect(runWorker(pathToFileURL(script), null)).rejects.toThrow('job.mjs ended with 1: ImportError: no lxml');
    await writeFile(script, '');
    await expect(runWorker(pathToFileURL(script), null)).rejects.toThrow('ended with 0: it wrote no error');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
});

it('titles and pictures do not count in articles, neither in Markdown nor in plain text', () => {
  const html = Buffer.from('<h1 class="x">Bees &amp; <i>wasps</i> in the old town</h1><p>one two three four five</p>');
  const page = { url: 'https://example.com/', html, article: 'one two three four five' };
  const title = 'Bees & wasps in the old town';
  for (const found of [`# ${title}\n\n![a b c d](x.png)one two three four five`, `${title}\none two three four five`]) {
    const score = noMainContentScore();
    addArticle(score, page, found);
    expect(score).toMatchObject({ precision: 1, recall: 1 });
  }
});
