// Writes docs/SETTINGS.md from the schema of the settings.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.mjs';

setup();
const { settingsMarkdown } = await import('../dist/config/index.js');
const folder = fileURLToPath(new URL('../docs', import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/SETTINGS.md`, settingsMarkdown());
