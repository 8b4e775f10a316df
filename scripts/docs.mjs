// Writes docs/SETTINGS.md from the schema of the settings, docs/REFERENCE.md from the tables and types of the source, and the table of
// rules in docs/AUDIT.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.mjs';

setup();
const root = fileURLToPath(new URL('..', import.meta.url));
const { settingsMarkdown } = await import('../dist/config/index.js');
const { PARSE_CODES, PROTOCOL_CODES } = await import('../dist/packages/plugin-api/index.js');
const { COUNTERS } = await import('../dist/packages/jobs/index.js');
const { INTERNAL_FIELDS } = await import('../dist/packages/answers/index.js');
const { auditRules } = await import('../dist/packages/audit/index.js');
const { referenceMarkdown, withAuditRules } = await import('./reference.mjs');
mkdirSync(`${root}/docs`, { recursive: true });
writeFileSync(`${root}/docs/SETTINGS.md`, settingsMarkdown());
const audit = `${root}/docs/AUDIT.md`;
writeFileSync(audit, withAuditRules(readFileSync(audit, 'utf8'), auditRules()));
try {
  writeFileSync(
    `${root}/docs/REFERENCE.md`,
    referenceMarkdown({ PROTOCOL_CODES, PARSE_CODES, COUNTERS, INTERNAL_FIELDS }, root),
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
