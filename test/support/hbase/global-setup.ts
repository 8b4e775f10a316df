/** One HBase for all tests of `npm run test:hbase`; see CONTRIBUTING.md. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startHBase } from '../../../bench/lib/hbase-cluster.js';
import { hasMaven } from '../../../bench/lib/maven.js';
import { ROOT } from '../docs/source-files.js';
import { serveControl, type HBaseAccess } from '../../../bench/lib/hbase-control.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** null: there is no JDK or no Maven. */
    hbase: HBaseAccess | null;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  const given = process.env['WEBCRAWL_TEST_HBASE'];
  if (given !== undefined) {
    project.provide('hbase', (await (await fetch(given)).json()) as HBaseAccess);
    return;
  }
  if (!hasMaven()) {
    console.warn('HBase is left out: it takes Maven and a JDK of version 17');
    project.provide('hbase', null);
    return;
  }
  const cluster = await startHBase(join(ROOT, 'bench/hbase'), join(ROOT, '.cache'));
  const { access, server } = await serveControl(cluster);
  project.provide('hbase', access);
  return async () => {
    server.closeAllConnections();
    server.close();
    await cluster.stop();
  };
}
