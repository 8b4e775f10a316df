// Crawls a site and prints, as JSON, the counters and the texts of pages by path. It does not end the process, and closes the crawl only if
// told to. Arguments: origin, settings as JSON, an expression for the plugins to pass, whether to close.
import { jobs, openContext } from '../../dist/tests/webcrawl.js';

const [origin, settings, plugins, closes] = process.argv.slice(2);
const robots = { noindex: false, nofollow: false, noarchive: false };
const page = { kind: 'success', title: '', text: 'handed in', outlinks: [], robots, metadata: {} };
const known = {
  filter: { name: 'no-c', filterUrl: (url) => !url.endsWith('/c') },
  onPage: { name: 'noting', onPage: ({ title }) => ({ title }) },
  parser: { name: 'own', parser: { contentTypes: ['text/told'], parse: () => page } },
};
const handedIn = plugins && new Function(...Object.keys(known), `return ${plugins}`)(...Object.values(known));
const crawl = await openContext({
  table: 'memory:',
  settings: { 'fetcher.serverDelay': 0, ...JSON.parse(settings) },
  ...(handedIn && { plugins: handedIn }),
});
const { counters } = await jobs.crawl(crawl, { seeds: [`${origin}/`] });
const texts = {};
for await (const { url, text } of crawl.pages({ fields: ['text'] })) texts[new URL(url).pathname] = text;
console.log(JSON.stringify({ counters, texts, hasThreads: crawl.parseThreads !== undefined }));
if (closes === 'true') await crawl.close();
