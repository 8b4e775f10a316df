// `npm run hbase`: runs an HBase on this machine for experiments, until Ctrl-C. It needs a JDK of version 17, and Maven.
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';

try {
  await compile();
  const { hasMaven } = await import('../dist/bench/lib/maven.js');
  if (!hasMaven()) throw new Error('expected Maven and a JDK of version 17, found none');
  const { startHBase } = await import('../dist/bench/lib/hbase-cluster.js');
  const { serveControl } = await import('../dist/bench/lib/hbase-control.js');
  const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
  console.error('hbase: starting, which takes half a minute; the first time Maven brings it …');
  const cluster = await startHBase(folder('hbase'), folder('../.cache'));
  const { access } = await serveControl(cluster);
  console.log(`hbase://${access.gateways.join(',')}/crawl`);
  console.error(`hbase: ends with Ctrl-C. The gateway that makes tables with splits: ${access.admin}.
hbase: tests run on it with WEBCRAWL_TEST_HBASE=${access.control} npm run test:hbase`);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void cluster.stop().then(() => process.exit(0)));
} catch (error) {
  console.error(`hbase: ${error.message}`);
  process.exitCode = 1;
}
