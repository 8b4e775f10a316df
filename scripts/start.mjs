// `npm start -- <url> [options]` crawls a site; `npm start` alone crawls a small site that it serves itself, indexes it and
// searches it once. `npm start -- --serve` serves the search page of that site until it is stopped.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './run-node.mjs';
import { serveSampleSite } from './sample-site.mjs';
import { setup } from './setup.mjs';

const COMMAND = fileURLToPath(new URL('../dist/bin/webcrawl.js', import.meta.url));

const webcrawl = (args) => runNode([COMMAND, ...args]);

/** @param {readonly string[]} options of `crawl`, the first is --serve; empty: it crawls and ends */
async function crawlSampleSite(options) {
  const site = await serveSampleSite();
  const table = `level:${join(mkdtempSync(join(tmpdir(), 'webcrawl-sample-')), 'table')}`;
  console.error(`Crawling the sample site at ${site.url}\n`);
  try {
    const code = await webcrawl(['crawl', site.url, '--table', table, '--set', 'fetcher.serverDelay=0', ...options]);
    if (code !== 0 || options.length > 0) return code;
    for (const [about, ...args] of [
      ['\nWhat the table holds now:', 'readdb', '--stats'],
      ['\nIts pages are brought into a search index:', 'index'],
      ['\nA search in it, for spring tide:', 'search', 'spring', 'tide', '--limit', '3'],
    ]) {
      console.error(about);
      const status = await webcrawl([...args, '--table', table]);
      if (status !== 0) return status;
    }
  } finally {
    await site.close();
  }
  const command = `node ${relative(process.cwd(), COMMAND)}`;
  console.error(`
To search it in a browser, and to look around in it:
  ${command} serve --table ${table}
  ${command} readdb --dump --fields status,title --table ${table}
  ${command} readdb --url ${site.url} --table ${table}
To crawl and serve it at once, to crawl a site of yours, and to see all there is:
  npm start -- --serve
  npm start -- https://example.com/ --max-pages 100
  ${command} --help`);
  return 0;
}

try {
  setup();
  const args = process.argv.slice(2);
  process.exitCode = await (args.length === 0 || args[0] === '--serve'
    ? crawlSampleSite(args)
    : webcrawl(['crawl', ...args]));
} catch (error) {
  console.error(`webcrawl: ${error.message}`);
  process.exitCode = 1;
}
