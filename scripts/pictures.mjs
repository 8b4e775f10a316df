// `npm run pictures` draws the pictures of the documents from a real crawl of the sample site: docs/pictures/terminal.svg shows a terminal;
// search.png, dashboard.png and rules.png are pages of `serve`. It needs Chromium, and `script` of util-linux for the terminal.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { serveSampleSite } from './sample-site.mjs';
import { setup } from './setup.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = join(ROOT, 'dist/bin/webcrawl.js');
const PICTURES = join(ROOT, 'docs/pictures');
/** Number of characters in a line of the terminal. */
const COLUMNS = 100;
/** Width of a character and height of a line, in pixels. */
const [WIDE, HIGH] = [7.83, 18];
const MARGIN = 16;
/** How long the crawl of the dashboard has run when its picture is taken: its charts have a point every two seconds. */
const CRAWLING_MS = 20_000;

/** Runs the command in a terminal. @returns the lines that are visible at its end */
async function run(args, folder) {
  const command = [process.execPath, COMMAND, ...args].map((part) => `'${part}'`).join(' ');
  const { stdout } = await promisify(execFile)('script', ['-qec', `stty cols ${COLUMNS}; ${command}`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm' },
  });
  return seen(stdout);
}

/** The lines that a terminal shows for an output: a carriage return goes to the start of the line, `ESC [ K` clears the rest of it. */
function seen(output) {
  const lines = output.replaceAll('\r\n', '\n').split('\n');
  const shown = lines.map((line) => line.slice(line.lastIndexOf('\r') + 1).replace(/\u001b\[[\d;?]*[A-Za-z]/g, ''));
  return shown.flatMap((line) => line.trimEnd().match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? ['']);
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param lines those that begin with `$ ` are typed by a person */
function terminal(lines) {
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * WIDE) + 2 * MARGIN;
  const height = lines.length * HIGH + 2 * MARGIN;
  const rows = lines.map((line, i) => {
    const color = line.startsWith('$ ') ? ' fill="#7fd1b9"' : '';
    return `<text x="${MARGIN}" y="${MARGIN + 13 + i * HIGH}"${color} xml:space="preserve">${escape(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>A crawl in a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#16201e"/>
<g fill="#e4ebe9" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
${rows.join('\n')}
</g>
</svg>
`;
}

/** @param siteUrl of the sample site, which is crawled a second time, so that the dashboard has something to show */
async function picturesOfServe(folder, siteUrl) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const { openCrawl } = await import('../dist/packages/webcrawl/index.js');
  // Slow, so that the crawl of this small site still runs when its picture is taken.
  const settings = { fetcher: { serverDelay: 2 }, http: { agentName: 'examplebot' } };
  const searched = await openCrawl({ table: join(folder, 'webcrawl-data'), create: false });
  const crawl = await openCrawl({ table: join(folder, 'second'), settings });
  const [search, dashboard] = [await searched.serve({ port: 0 }), await crawl.serve({ port: 0 })];
  try {
    await takePicture(browser, `${search.url}search?q=spring+tide`, 'search.png');
    await crawl.rules.add({ kind: 'relevant', pattern: { prefix: '/tide' } });
    await crawl.rules.add({ kind: 'reject', pattern: { prefix: '/cellar' } });
    const running = crawl.run({ seeds: [siteUrl] });
    await setTimeout(CRAWLING_MS);
    await takePicture(browser, `${dashboard.url}dashboard`, 'dashboard.png');
    await running;
    await crawl.rules.report();
    await takePicture(browser, `${dashboard.url}rules`, 'rules.png');
  } finally {
    await browser.close();
    await search.close();
    await dashboard.close();
    await searched.close();
    await crawl.close();
  }
}

async function takePicture(browser, url, name) {
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  await page.goto(url);
  await page.screenshot({ path: join(PICTURES, name) });
}

setup();
const folder = mkdtempSync(join(tmpdir(), 'webcrawl-pictures-'));
const site = await serveSampleSite();
try {
  mkdirSync(PICTURES, { recursive: true });
  const shown = [];
  for (const { args, most = Infinity } of [
    { args: ['crawl', site.url] },
    { args: ['explain', `${site.url}cellar.html`], most: 4 },
    { args: ['index', '-q'] },
    { args: ['search', 'spring', 'tide', '--limit', '2'] },
  ]) {
    const lines = await run(args, folder);
    const rest = lines.length > most + 1 ? ['…', ''] : [];
    shown.push(`$ webcrawl ${args.join(' ')}`, ...lines.slice(0, most), ...rest);
  }
  while (shown.at(-1) === '') shown.pop();
  writeFileSync(join(PICTURES, 'terminal.svg'), terminal(shown));
  await picturesOfServe(folder, site.url);
} finally {
  await site.close();
  rmSync(folder, { recursive: true });
}
