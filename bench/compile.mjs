import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setup } from '../scripts/setup.mjs';

const bench = fileURLToPath(new URL('.', import.meta.url));
const dist = join(bench, '../dist/bench');
/** Not every folder below this one: programs that are installed there have folders too. */
const FOLDERS = ['.', 'lib', 'workers'];
const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Builds the project, and compiles the changed files of this folder into dist/bench. It only removes types, file by file; `npm run typecheck` checks them. */
export async function compile() {
  setup();
  const since = changed(fileURLToPath(import.meta.url));
  const stale = FOLDERS.flatMap((folder) => readdirSync(join(bench, folder)).map((name) => join(folder, name)))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ source: join(bench, name), target: join(dist, name.replace(/ts$/, 'js')) }))
    .filter(({ source, target }) => changed(target) <= Math.max(changed(source), since));
  if (stale.length === 0) return;
  const { default: ts } = await import('typescript');
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  for (const { source, target } of stale) {
    const { outputText } = ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions });
    mkdirSync(dirname(target), { recursive: true });
    // Renamed when complete, since another benchmark may be starting.
    const unfinished = `${target}.${process.pid}`;
    writeFileSync(unfinished, outputText);
    renameSync(unfinished, target);
  }
}
