import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transcripts, type Transcript } from '../support/docs/doc-transcript.js';
import { openShownSite, type ShownSite } from '../support/docs/shown-site.js';
import { ROOT } from '../support/docs/source-files.js';

const DOCUMENT = 'docs/GUIDE.md';
const PAGE = readFileSync(join(ROOT, DOCUMENT), 'utf8');

let site: ShownSite;
let gate: Gate;

beforeAll(async () => {
  site = await openShownSite({
    document: DOCUMENT,
    files: ['site.mjs', 'seeds.txt'],
    before: async (sitePort) => {
      gate = await openGate(sitePort);
      return gate.port;
    },
  });
});

afterAll(async () => {
  gate.close();
  await site.close();
});

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

test.skipIf(process.platform === 'win32')('every command of the guide has the shown result', async () => {
  const blocks = transcripts(PAGE);
  expect(blocks.length).toBeGreaterThan(15);
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
});
