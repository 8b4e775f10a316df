// Writes docs/SETTINGS.md from the schema of the settings, and docs/REFERENCE.md from the tables and types of the source.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.mjs';

setup();
const root = fileURLToPath(new URL('..', import.meta.url));
const { settingsMarkdown } = await import('../dist/config/index.js');
const { PARSE_CODES, PROTOCOL_CODES } = await import('../dist/packages/plugin-api/index.js');
const { COUNTERS } = await import('../dist/packages/jobs/index.js');
const { referenceMarkdown } = await import('./reference.mjs');
mkdirSync(`${root}/docs`, { recursive: true });
writeFileSync(`${root}/docs/SETTINGS.md`, settingsMarkdown());
try {
  writeFileSync(`${root}/docs/REFERENCE.md`, referenceMarkdown({ PROTOCOL_CODES, PARSE_CODES, COUNTERS }, root));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
