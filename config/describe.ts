import { settingLeaves, typeInWords } from './leaves.js';

/** What there is to know of one setting. */
export interface SettingDescription {
  /** Dotted, as in `--set http.agentName=…`. */
  readonly key: string;
  /** In words: `whole number of at least 1`, `true or false`, `one of host, domain, ip`, `list of text`. */
  readonly type: string;
  readonly default: unknown;
  readonly doc: string;
}

/** Every setting, in the order of the schema. */
export function describeSettings(): readonly SettingDescription[] {
  return [...settingLeaves()].map(([key, { type }]) => ({
    key,
    type: typeInWords(type),
    default: type.default,
    doc: type.description ?? '',
  }));
}

/** The page of all settings, `docs/SETTINGS.md`. */
export function settingsMarkdown(): string {
  const lines = [
    '# Settings',
    '',
    'Written by `npm run docs` from `config/schema.ts`; a test fails when the two differ.',
    '',
    'Later places win over earlier ones: the defaults below, the file of `--config`, the environment, `--set key=value`.',
    '',
    '- **File**: JSON, sections as nested objects (`{"http": {"agentName": "mybot"}}`) or dotted keys',
    '  (`{"http.agentName": "mybot"}`). Relative paths in it are relative to the file.',
    '- **Environment**: `WEBCRAWL_` and the key, where letter case does not count, `_` is the dot, and further `_`',
    '  do not count: `WEBCRAWL_HTTP_AGENTNAME` and `WEBCRAWL_HTTP_AGENT_NAME` are `http.agentName`.',
    '- **Text** from the environment and flags is read as the type of the setting: numbers are decimal, `1` and `0` may',
    '  be given for `true` and `false`, lists are separated by commas, objects are JSON.',
    '',
    'All wrong settings are reported at once. `webcrawl config` shows the settings in force and where each came from.',
  ];
  let section = '';
  for (const { key, type, default: value, doc } of describeSettings()) {
    const [name = ''] = key.split('.');
    if (name !== section) lines.push('', `## ${name}`, '', '| setting | type | default | |', '|---|---|---|---|');
    section = name;
    lines.push(`| \`${key}\` | ${type} | \`${JSON.stringify(value)}\` | ${doc.replaceAll('|', '\\|')} |`);
  }
  return `${lines.join('\n')}\n`;
}
