// `npm run release` publishes the version of package.json after all checks; `-- --dry-run` does everything but publish and tag. At the
// first problem it ends with 1, and tells what to do.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveSampleSite } from './sample-site.mjs';
import { runNode } from './run-node.mjs';
import { setup } from './setup.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const isDryRun = process.argv.includes('--dry-run');

const say = (text) => console.error(`release: ${text}`);
const run = (command, args, cwd = ROOT) => execFileSync(command, args, { cwd, stdio: 'inherit' });
const read = (command, args, cwd = ROOT) => execFileSync(command, args, { cwd, encoding: 'utf8' });

/** Ends the release. A dry run continues if the rest can still be tried. */
function wrong(message) {
  if (!isDryRun) throw new Error(message);
  say(`would stop here: ${message}`);
}

/** Conditions of a release that only people can meet. */
function checkState({ version, repository }) {
  if (read('git', ['status', '--porcelain']) !== '')
    wrong('expected no change that is not committed; git status shows them');
  if (read('git', ['branch', '--show-current']).trim() !== 'main') wrong('expected the branch main; git switch main');
  if (read('git', ['tag', '--list', `v${version}`]) !== '')
    wrong(`version ${version} has a tag; raise it with npm version`);
  const changes = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  if (!changes.includes(`\n## ${version} (${new Date().toISOString().slice(0, 10)})\n`)) {
    wrong(`expected "## ${version} (<today>)" in CHANGELOG.md; write what has changed and the date of today`);
  }
  if (!repository) wrong('expected repository in package.json, found none; provenance names where the code comes from');
}

/**
 * Installs the package into an empty folder, as its users do, and crawls the sample site with it. @returns the installed packages, as
 * CycloneDX. In a checkout npm would omit packages that development needs too.
 */
async function tryPackage(tarball, { version }) {
  const folder = mkdtempSync(join(tmpdir(), 'webcrawl-release-'));
  const site = await serveSampleSite();
  try {
    const about = { name: 'webcrawl-release', version, private: true, type: 'module' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(about));
    run(NPM, ['install', '--no-audit', '--no-fund', tarball], folder);
    const found = read(NPM, ['exec', '--', 'webcrawl', '--version'], folder).trim();
    if (!found.includes(version)) throw new Error(`expected the command of version ${version}, found ${found}`);
    const command = join(folder, 'node_modules/webcrawl/dist/bin/webcrawl.js');
    const table = ['--table', join(folder, 'table')];
    for (const args of [
      ['crawl', site.url, '--set', 'fetcher.serverDelay=0'],
      ['readdb', '--stats'],
      ['export', 'pages', '-o', join(folder, 'pages.jsonl')],
    ]) {
      const status = await runNode([command, ...args, ...table]);
      if (status !== 0) throw new Error(`webcrawl ${args[0]} of the package ended with ${status}`);
    }
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { openCrawl } from 'webcrawl';
      const crawl = await openCrawl({ table: './table', create: false });
      const { total } = await crawl.stats();
      await crawl.close();
      if (total < 10) throw new Error('expected the pages of the sample site, found ' + total);`,
    );
    run(process.execPath, ['program.mjs'], folder);
    return read(NPM, ['sbom', '--sbom-format', 'cyclonedx'], folder);
  } finally {
    await site.close();
    rmSync(folder, { recursive: true });
  }
}

async function release() {
  const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { name, version } = about;
  checkState(about);
  setup();
  say('tests, style and types');
  run(NPM, ['run', 'lint']);
  run(NPM, ['run', 'typecheck']);
  run(NPM, ['test']);
  run(NPM, ['run', 'test:package']);
  const made = mkdtempSync(join(tmpdir(), 'webcrawl-packed-'));
  try {
    say('the package, installed into an empty folder');
    const [{ filename, size, files }] = JSON.parse(
      read(NPM, ['pack', '--json', '--ignore-scripts', '--pack-destination', made]),
    );
    say(`${filename}: ${files.length} files, ${(size / 1e6).toFixed(2)} MB`);
    const tarball = join(made, filename);
    const parts = await tryPackage(tarball, about);
    const list = join(isDryRun ? made : ROOT, `${name}-${version}.cdx.json`);
    writeFileSync(list, parts);
    say(`the list of its parts (CycloneDX): ${JSON.parse(parts).components.length} packages, in ${list}`);
    run(NPM, ['publish', tarball, '--access', 'public', ...(isDryRun ? ['--dry-run'] : ['--provenance'])]);
    if (isDryRun) return say('nothing was published and nothing was tagged');
    run('git', ['tag', '--annotate', `v${version}`, '--message', `Version ${version}`]);
    say(`published; git push --follow-tags, and attach ${list} to the release`);
  } finally {
    rmSync(made, { recursive: true });
  }
}

try {
  await release();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
