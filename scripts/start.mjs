// `npm start -- <url> [options]` crawls a site; `npm start` alone crawls a small site that it serves itself.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './run-node.mjs';
import { serveSampleSite } from './sample-site.mjs';
import { setup } from './setup.mjs';

const COMMAND = fileURLToPath(new URL('../dist/bin/webcrawl.js', import.meta.url));

const webcrawl = (args) => runNode([COMMAND, ...args]);

async function crawlSampleSite() {
  const site = await serveSampleSite();
  const table = `level:${join(mkdtempSync(join(tmpdir(), 'webcrawl-sample-')), 'table')}`;
  console.error(`Crawling the sample site at ${site.url}\n`);
  try {
    const code = await webcrawl(['crawl', site.url, '--table', table, '--set', 'fetcher.serverDelay=0']);
    if (code !== 0) return code;
    console.error('\nWhat the table holds now:');
    const shown = await webcrawl(['readdb', '--stats', '--table', table]);
    if (shown !== 0) return shown;
  } finally {
    await site.close();
  }
  const command = `node ${relative(process.cwd(), COMMAND)}`;
  console.error(`
To look around in it:
  ${command} readdb --dump --fields status,title --table ${table}
  ${command} readdb --url ${site.url} --table ${table}
To crawl a site of yours, and to see all there is:
  npm start -- https://example.com/ --max-pages 100
  ${command} --help`);
  return 0;
}

try {
  setup();
  const args = process.argv.slice(2);
  process.exitCode = await (args.length > 0 ? webcrawl(['crawl', ...args]) : crawlSampleSite());
} catch (error) {
  console.error(`webcrawl: ${error.message}`);
  process.exitCode = 1;
}
