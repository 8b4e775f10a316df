// `npm run bench -- <name> …`: builds what is out of date, then runs the benchmark from dist/bench.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setup } from '../scripts/setup.mjs';

const bench = fileURLToPath(new URL('.', import.meta.url));
const dist = join(bench, '../dist/bench');

try {
  setup();
  await compile();
} catch (error) {
  console.error(`bench: could not be built: ${error.message}`);
  process.exit(1);
}
const { main } = await import(join(dist, 'main.js'));
// Ends what the benchmark has started, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}

/** Takes the types out, file by file: `npm run typecheck` is what checks them. Writes only what has changed. */
async function compile() {
  const { default: ts } = await import('typescript');
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  for (const folder of ['.', 'lib', 'workers']) {
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
