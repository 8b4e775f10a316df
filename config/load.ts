import { isAbsolute, resolve } from 'node:path';
import { CrawlError, safeText } from '../packages/errors/index.js';
import {
  givenByEnvironment,
  givenByFile,
  givenByOptions,
  renamedValue,
  type Given,
  type Problem,
} from './setting-values.js';
import { settingLeaves, typeInWords, type Leaf, type LeafType } from './leaves.js';
import { settingsSchema, type Settings } from './schema.js';
import { tryParseUrl } from '../packages/url/index.js';

/** The sources of settings. Each source takes precedence over the sources before it, and all take precedence over the defaults. */
export interface SettingInputs {
  /** The name of a JSON file, with sections as nested objects, or with dotted keys. */
  readonly file?: string | undefined;
  /** The environment, with variables `WEBCRAWL_…`: the key with `_` instead of the dot. Case and other `_` are ignored. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Nested objects or dotted keys. Text is converted to the type of the setting. */
  readonly overrides?: Readonly<Record<string, unknown>> | undefined;
}

/** An effective setting and its source. */
export interface SettingSource {
  readonly value: unknown;
  /** `default`, `file <name>`, `environment <VARIABLE>` or `option` (`--set`, or `settings` of the library). */
  readonly source: string;
}

/** Checked settings, and the value and source of each by its dotted key. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<string, SettingSource>>;
}

/** Settings that are valid alone, but contradict each other if the first one is above the second one. */
const ORDERED = [
  ['db.fetchIntervalDefault', 'db.fetchIntervalMax'],
  ['db.fetchScheduleAdaptiveMinInterval', 'db.fetchScheduleAdaptiveMaxInterval'],
  ['fetcher.minBackoffSeconds', 'fetcher.maxBackoffSeconds'],
  ['http.timeout', 'http.timeLimitMs'],
] as const;

/**
 * Returns the effective settings. Relative paths in the settings file are resolved against its folder, all others against the working
 * directory.
 *
 * All wrong settings are reported together. A value is also checked if a later source replaces it.
 * @throws CrawlError BAD_SETTING that names every wrong setting, its source, what was expected and what was found
 * @throws CrawlError BAD_INPUT if the file cannot be read
 */
export function loadSettings(inputs: SettingInputs = {}): LoadedSettings {
  const leaves = settingLeaves();
  const parts = [
    ...(inputs.file === undefined ? [] : [givenByFile(leaves, inputs.file)]),
    givenByEnvironment(leaves, inputs.env ?? {}),
    givenByOptions(leaves, inputs.overrides ?? {}),
  ];
  const problems = parts.flatMap((part) => part.problems);
  const inForce = new Map<string, Given>();
  const wrong = new Set<string>();
  for (const given of parts.flatMap((part) => part.given)) {
    const leaf = leaves.get(given.key);
    const problem = leaf && check(leaf, given);
    if (problem) problems.push(problem);
    if (problem) wrong.add(given.key);
    if (leaf && !problem) inForce.set(given.key, { ...given, value: resolvePaths(leaf, given) });
  }

  const settings = settingsSchema.parse(nest(inForce));
  const sources: Record<string, SettingSource> = {};
  for (const [key, leaf] of leaves) {
    const value = valueOf(settings, key);
    const given = inForce.get(key);
    // Defaults contain no secrets.
    sources[key] = given ? { value: masked(leaf.type, value), source: given.source } : { value, source: 'default' };
  }
  for (const [key, other] of ORDERED) {
    const [low, high] = [key, other].map((each) => valueOf(settings, each) as number);
    if (wrong.has(key) || wrong.has(other) || !(low! > high!)) continue;
    const shown = inForce.has(key) ? key : other;
    const { source, value } = sources[shown]!;
    const text = `expected ${key} (${low}) not above ${other} (${high}), found ${show(value)}`;
    problems.push({ key: shown, source, text });
  }
  if (problems.length > 0) throw badSettings(problems);
  return { settings, sources };
}

function check({ schema, type }: Leaf, given: Given): Problem | undefined {
  const { key, value, source } = given;
  const result = schema.safeParse(value);
  if (result.success) return undefined;
  // Only checks beyond the type of a value have messages of their own.
  const own = result.error.issues.find(({ code }) => code === 'custom' || code === 'invalid_format');
  const found = type.secret === true ? 'something else, which is not shown' : show(value);
  const expected = own ? own.message : withArticle(typeInWords(type));
  return { key, source, text: `expected ${expected}, found ${found}${renamedValue(given)}` };
}

function resolvePaths({ type }: Leaf, { value, folder }: Given): unknown {
  if (type.path !== true) return value;
  if (typeof value === 'string') return value === '' || isAbsolute(value) ? value : resolve(folder, value);
  // A name that does not begin with a dot is the name of a package.
  const modules = value as readonly string[];
  return modules.map((module) => (/^\.\.?[/\\]/.test(module) ? resolve(folder, module) : module));
}

function nest(given: ReadonlyMap<string, Given>): Record<string, unknown> {
  const nested: Nested = {};
  for (const { key, value } of given.values()) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    let at = nested;
    for (const name of names) at = (at[name] ??= {}) as Nested;
    at[last] = value;
  }
  return nested;
}

interface Nested {
  [name: string]: unknown;
}

function valueOf(settings: Settings, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], settings);
}

function withArticle(words: string): string {
  return /^(whole|number|list|path|JSON)/.test(words) ? `a ${words}` : words;
}

function show(value: unknown): string {
  return safeText(JSON.stringify(value) ?? String(value), 80);
}

function badSettings(problems: readonly Problem[]): CrawlError {
  const lines = problems.map(({ key, source, text }) => `  ${safeText(key, 80)} (${source}): ${text}`);
  const head = problems.length === 1 ? 'a setting is wrong:' : `${problems.length} settings are wrong:`;
  return new CrawlError('BAD_SETTING', [head, ...lines].join('\n'), {
    hint: '`webcrawl config --describe` lists every setting with its type and default',
  });
}

const MASK = '***';

/**
 * Returns a value in a form that may be shown. In a secret setting, the values of origins, or the user and password of a URL, are hidden.
 */
function masked(type: LeafType, value: unknown): unknown {
  if (type.secret !== true) return value;
  if (typeof value === 'string') return maskedUrl(value);
  return Object.fromEntries(Object.keys(value ?? {}).map((key) => [key, MASK]));
}

function maskedUrl(text: string): string {
  if (text === '') return text;
  const url = tryParseUrl(text);
  if (!url) return MASK;
  const { protocol, username, password, host, pathname } = url;
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname === '/' ? '' : pathname}`;
}
