import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transcripts, type Transcript } from '../support/docs/doc-transcript.js';
import { openShownSite } from '../support/docs/shown-site.js';
import { ROOT } from '../support/docs/source-files.js';

/** A proxy in front of the site that can hold a request back. */
interface Gate {
  readonly port: string;
  /** Holds the next request for a path. Resolves when there is one, with a function that lets it pass. */
  hold(path: string): Promise<() => void>;
  close(): void;
}

async function openGate(sitePort: number): Promise<Gate> {
  let held: { path: string; onAsked: (release: () => void) => void } | undefined;
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forward = (): void => {
      const onward = request({ host: 'localhost', port: sitePort, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy()).end();
    };
    if (path !== held?.path) return forward();
    held?.onAsked(forward);
    held = undefined;
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    port: String((server.address() as AddressInfo).port),
    hold: (path) => new Promise((resolve) => (held = { path, onAsked: resolve })),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test.skipIf(process.platform === 'win32').each([
  { document: 'docs/START.md', files: ['site.mjs'], least: 4 },
  { document: 'docs/GUIDE.md', files: ['site.mjs', 'seeds.txt'], least: 15 },
  { document: 'docs/RULES.md', files: ['news.mjs'], least: 10 },
  { document: 'docs/EDITORS.md', files: ['site.mjs', 'weekly.sh'], least: 5 },
  { document: 'docs/ENGINEERS.md', files: ['site.mjs', 'copy.sh', 'receiver.mjs'], least: 5 },
])('every command of $document has the shown result', async ({ document, files, least }) => {
  let gate!: Gate;
  const site = await openShownSite({
    document,
    files,
    before: async (sitePort) => {
      gate = await openGate(sitePort);
      return gate.port;
    },
  });
  try {
    const blocks = transcripts(readFileSync(join(ROOT, document), 'utf8'));
    expect(blocks.length).toBeGreaterThan(least);
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      const beside: Transcript[] = [];
      while (blocks[i + 1]?.meanwhile) beside.push(blocks[++i]!);
      if (beside.length === 0) {
        site.compare(block, await site.run(block.steps));
        continue;
      }
      const asked = gate.hold('/events/summer');
      const running = site.run(block.steps);
      const release = await asked;
      for (const other of beside) site.compare(other, await site.runBeside(other));
      release();
      site.compare(block, await running);
    }
  } finally {
    gate.close();
    await site.close();
  }
});
