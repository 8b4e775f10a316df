// Compiles to dist, copies the files that are read at run time, and bundles the command and the declarations.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleForTests, bundleTypes } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(createRequire(import.meta.url).resolve('typescript-native/package.json'), '../bin/tsc');

rmSync(join(root, 'dist'), { recursive: true, force: true });
try {
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
} catch {
  process.exit(1);
}
for (const name of readdirSync(join(root, 'config'))) {
  if (/\.(txt|json)$/.test(name)) cpSync(join(root, 'config', name), join(root, 'dist/config', name));
}
await bundleForTests(join(root, 'dist'));
await bundle(join(root, 'dist'));
await bundleTypes(join(root, 'dist'));
chmodSync(join(root, 'dist/bin/webcrawl.js'), 0o755);
