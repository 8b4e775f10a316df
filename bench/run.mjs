// `npm run bench -- <name> …`: builds outdated parts, then runs the benchmark from dist/bench.
import { compile } from './compile.mjs';

try {
  await compile();
} catch (error) {
  console.error(`bench: could not be built: ${error.message}`);
  process.exit(1);
}
const { main } = await import('../dist/bench/main.js');
// Also ends processes that the benchmark has started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
