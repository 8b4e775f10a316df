// Crawls a site and prints what is asked for as JSON: counters, and the texts of pages by path. It does not end the
// process, and closes the crawl only when told to.
// Arguments: origin, settings as JSON, whether plugins are handed in, whether it closes.
import { jobs, openCrawl } from '../../dist/packages/webcrawl/index.js';

const [origin, settings, withPlugins, closes] = process.argv.slice(2);
const crawl = await openCrawl({
  table: 'memory:',
  settings: { 'fetcher.serverDelay': 0, ...JSON.parse(settings) },
  ...(withPlugins === 'true' && { plugins: [] }),
});
const { counters } = await jobs.crawl(crawl, { seeds: [`${origin}/`] });
const texts = {};
for await (const { url, text } of crawl.pages({ fields: ['text'] })) texts[new URL(url).pathname] = text;
console.log(JSON.stringify({ counters, texts, hasThreads: crawl.parseThreads !== undefined }));
if (closes === 'true') await crawl.close();
