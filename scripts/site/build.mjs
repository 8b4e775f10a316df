// `npm run docs:site` makes a site from the documents: `site/<version>/`, static files. The first time it installs the generator here.
// --out <folder> is the folder for all versions; --base <path> is the path of that folder on a server, by default `/`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brokenLinks } from './check.mjs';
import { copyOf, filesIn, pageOf } from './links.mjs';
import { DOCUMENTS } from './navigation.mjs';
import { listVersions } from './versions.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '../..');
/** The copies of the documents for the generator. */
const PAGES = join(HERE, '.pages');

function install() {
  const lock = readFileSync(join(HERE, 'package-lock.json'), 'utf8');
  const installed = join(HERE, 'node_modules/.webcrawl-installed');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.error('webcrawl: installing the generator of the site …');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: HERE, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  writeFileSync(installed, lock);
}

function copy(file, to) {
  mkdirSync(dirname(join(PAGES, to)), { recursive: true });
  cpSync(join(ROOT, file), join(PAGES, to));
}

/** Copies the documents, their pictures and the files that they link to. */
function collect() {
  rmSync(PAGES, { recursive: true, force: true });
  for (const document of DOCUMENTS) {
    copy(document, pageOf(document));
    const { pictures, files } = filesIn(document, readFileSync(join(ROOT, document), 'utf8'));
    for (const file of [...pictures, ...files]) {
      if (!existsSync(join(ROOT, file)))
        throw new Error(`expected the file ${file}, which ${document} names, found none`);
    }
    for (const file of pictures) copy(file, file);
    for (const file of files) copy(file, join('public', copyOf(file)));
  }
}

/** A path that begins and ends with `/`. */
const asBase = (path) => `/${path}/`.replace(/\/+/g, '/');

async function main() {
  const { out, base } = parseArgs({
    options: { out: { type: 'string', default: join(ROOT, 'site') }, base: { type: 'string', default: '/' } },
  }).values;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const folder = resolve(out, version);
  const versionBase = asBase(`${base}/${version}`);
  install();
  collect();
  process.env['NODE_ENV'] = 'production';
  process.env['WEBCRAWL_VERSION'] = version;
  const { build } = await import('vitepress');
  await build(HERE, { base: versionBase, outDir: folder });
  const broken = brokenLinks(folder, versionBase);
  if (broken.length > 0) {
    const lines = broken.map((line) => `\n  ${line}`).join('');
    throw new Error(`expected links that lead somewhere, found ${broken.length} that do not:${lines}`);
  }
  console.log(`${folder}, versions: ${listVersions(resolve(out)).join(', ')}`);
}

try {
  await main();
} catch (error) {
  console.error(`webcrawl: ${error.message}`);
  process.exitCode = 1;
}
