import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { exportGraph, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import { ROOT } from '../../support/docs/source-files.js';
import { changeRows } from '../../support/stores/put-rows.js';
import { testCrawl } from '../../support/test-crawl.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { testFolder } from '../../support/files/temp-folder.js';

const READER = fileURLToPath(new URL('ReadWebGraph.java', import.meta.url));
/** The folder with the library, see `webgraph-pom.xml`. */
const LIBRARY = join(ROOT, '.cache/java');
const hasWebGraph = existsSync(LIBRARY) && spawnSync('java', ['-version']).status === 0;
const PAGES = 500;

test.skipIf(!hasWebGraph)('WebGraph makes its graph from the edges of cc by the command of docs/GRAPH.md', async () => {
  const folder = testFolder();
  await using crawl = await testCrawl(undefined);
  const random = randomNumbers(3);
  const url = (n: number): string => `https://h${n % 60}.example/${n}`;
  const rows = Array.from({ length: PAGES }, (_, n) => {
    const targets = new Set(Array.from({ length: 5 }, () => url(Math.floor(random() * PAGES))));
    const outlinks = [...targets].map((target) => ({ url: target, anchor: '' }));
    return { key: rowKeyOf(url(n)), set: { status: 'fetched' as const, outlinks } };
  });
  await changeRows(crawl, rows);
  await exportGraph(crawl, { output: join(folder, 'hosts'), level: 'host' });
  const edges = gunzipSync(await readFile(join(folder, 'hosts/edges.txt.gz'))).toString();
  const nodes = 1 + Math.max(...(edges.match(/\d+/g) ?? []).map(Number));

  const line = /^zcat hosts\/edges.*webgraph.*$/m.exec(await readFile(join(ROOT, 'docs/GRAPH.md'), 'utf8'))![0];
  const env = { ...process.env, CLASSPATH: join(LIBRARY, '*') };
  const made = spawnSync('bash', ['-o', 'pipefail', '-c', line], { cwd: folder, env, encoding: 'utf8' });
  expect(made.status, made.stderr).toBe(0);
  const read = spawnSync('java', [READER, 'hosts-bv'], { cwd: folder, env, encoding: 'utf8' });
  expect(read.status, read.stderr).toBe(0);
  const [sizes, ...successors] = read.stdout.trimEnd().split('\n');
  expect(sizes).toBe(`${nodes} ${successors.length}`);
  expect(`${successors.join('\n')}\n`).toBe(edges);
});
