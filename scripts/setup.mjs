// Installs and builds missing or outdated parts. It takes almost no time if everything is up to date. `node scripts/setup.mjs` runs it, and
// other scripts import `setup`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLDEST = [20, 19];
const SOURCES = [
  'packages',
  'webtable',
  'config',
  'bin',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Brings node_modules and dist up to date. Throws when npm or the compiler fails. */
export function setup() {
  checkNode();
  const lock = digest(readFileSync(join(ROOT, 'package-lock.json')));
  const installed = join(ROOT, 'node_modules/.webcrawl-installed');
  if (read(installed) !== lock && !isInstalled()) {
    say('installing packages (npm ci)');
    run('npm', ['ci', '--no-audit', '--no-fund'], { shell: process.platform === 'win32' });
  }
  if (read(installed) !== lock) writeFileSync(installed, lock);

  const sources = digest(SOURCES.flatMap(fingerprints).join('\n') + lock);
  const built = join(ROOT, 'dist/.webcrawl-built');
  if (read(built) !== sources) {
    say('building');
    run(process.execPath, ['scripts/build.mjs']);
    writeFileSync(built, sources);
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  console.error(`webcrawl: expected Node ${OLDEST.join('.')} or later, found ${process.versions.node}`);
  process.exit(1);
}

/** Whether npm reports that node_modules has every package of the lock file, in its version. */
function isInstalled() {
  const inner = read(join(ROOT, 'node_modules/.package-lock.json'));
  if (inner === undefined) return false;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const found = JSON.parse(inner).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || found[path]?.version === version,
  );
}

/** A line for every file under a path. It changes when the file does. */
function fingerprints(path) {
  const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [`${path} ${stats.size} ${stats.mtimeMs}`];
  return readdirSync(join(ROOT, path))
    .sort()
    .flatMap((name) => fingerprints(`${path}/${name}`));
}

function run(command, args, options = {}) {
  // Standard output is reserved for the program that runs next.
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], ...options });
}

function digest(content) {
  return createHash('sha256').update(content).digest('hex');
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function say(text) {
  console.error(`webcrawl: ${text} …`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    setup();
  } catch (error) {
    console.error(`webcrawl: set-up failed: ${error.message}`);
    process.exit(1);
  }
}
