import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transcripts } from '../support/docs/doc-transcript.js';
import { openShownSite, type ShownSite } from '../support/docs/shown-site.js';
import { ROOT } from '../support/docs/source-files.js';

const DOCUMENT = 'docs/START.md';

let site: ShownSite;

beforeAll(async () => {
  site = await openShownSite({ document: DOCUMENT, files: ['site.mjs'] });
});

afterAll(() => site.close());

test.skipIf(process.platform === 'win32')('every command of the first page has the shown result', async () => {
  const blocks = transcripts(readFileSync(join(ROOT, DOCUMENT), 'utf8'));
  expect(blocks.length).toBeGreaterThan(4);
  for (const block of blocks) site.compare(block, await site.run(block.steps));
});
