import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('.', import.meta.url));
const dist = join(bench, '../dist/bench');

/** Compiles this folder into dist/bench: takes the types out, file by file: `npm run typecheck` is what checks them. Writes only what has changed. */
export async function compile() {
  const { default: ts } = await import('typescript');
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  for (const folder of ['.', 'lib', 'lib/sites', 'lib/stores', 'workers', 'prototype']) {
    for (const name of readdirSync(join(bench, folder))) {
      if (!name.endsWith('.ts')) continue;
      const source = readFileSync(join(bench, folder, name), 'utf8');
      const { outputText } = ts.transpileModule(source, { compilerOptions: options });
      const target = join(dist, folder, name.replace(/ts$/, 'js'));
      if (existsSync(target) && readFileSync(target, 'utf8') === outputText) continue;
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, outputText);
    }
  }
}
