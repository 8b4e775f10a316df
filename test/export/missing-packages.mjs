// Runs what needs a package, while none of these packages is installed. Argument: a folder. Prints each error as JSON.
import { register } from 'node:module';

const hooks = `export function resolve(name, context, next) {
  if (!/^(@aws-sdk\\/|@opensearch-project\\/|client-zip|fflate|hyparquet-writer|mdast-util-|prom-client)/.test(name)) return next(name, context);
  throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const { exportChunks, exportGraph, exportPages, exportWacz, openContext, serve } =
  await import('../../dist/packages/webcrawl/internal.js');
const { createWords, openOpenSearchReader, openOpenSearchWriter } = await import('../../dist/packages/index/index.js');
const place = { url: 'http://127.0.0.1:1/pages' };
const folder = process.argv[2];
const crawl = await openContext({ table: 'memory:', settings: { index: { path: `${folder}/index` } } });
const runs = {
  parquet: () => exportPages(crawl, { output: `${folder}/p.parquet` }),
  xlsx: () => exportPages(crawl, { output: `${folder}/p.xlsx` }),
  graph: () => exportGraph(crawl, { output: `${folder}/g`, level: 'host', format: 'parquet' }),
  wacz: () => exportWacz(crawl, { output: `${folder}/c.wacz` }),
  chunks: () => exportChunks(crawl, { output: `${folder}/c.jsonl` }),
  markdown: () => exportPages(crawl, { output: `${folder}/m.jsonl`, fields: ['markdown'] }),
  markdownFiles: () => exportPages(crawl, { output: `${folder}/m`, format: 'markdown' }),
  s3: () => exportPages(crawl, { output: 's3://bucket/p.jsonl' }),
  openSearchWriter: async () => openOpenSearchWriter(place, 'a table', await createWords()),
  openSearchReader: () => openOpenSearchReader({ ...place, words: '', table: '' }),
  metrics,
};
/** The error of `/metrics`, which the page of the answer explains too; all other pages work. */
async function metrics() {
  let failure;
  const served = await serve(crawl, { port: 0, onError: (error) => (failure = error) });
  const [dashboard, figures] = await Promise.all(['dashboard', 'metrics'].map((path) => fetch(served.url + path)));
  const isExplained = (await figures.text()).includes(failure?.hint);
  await served.close();
  if (dashboard.status !== 200 || figures.status !== 503 || !isExplained) return;
  throw failure;
}
const found = {};
for (const [name, run] of Object.entries(runs)) {
  found[name] = await run().then(
    () => 'no error',
    ({ code, hint }) => `${code}: ${hint}`,
  );
}
await crawl.close();
console.log(JSON.stringify(found));
