import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CrawlError, messageOf } from '../packages/errors/index.js';
import { absolutePath } from './absolute-path.js';
import { didYouMean, foldKey } from './did-you-mean.js';
import type { Leaf, LeafType } from './leaves.js';

export interface Given {
  readonly key: string;
  readonly value: unknown;
  readonly source: string;
  readonly folder: string;
}

export interface Problem {
  readonly key: string;
  readonly source: string;
  readonly text: string;
}

interface GivenSettings {
  readonly given: readonly Given[];
  readonly problems: readonly Problem[];
}

type Leaves = ReadonlyMap<string, Leaf>;

/**
 * Reads settings from a JSON file.
 * @throws CrawlError BAD_INPUT if the file cannot be read, BAD_SETTING if it does not contain a JSON object
 */
export function givenByFile(leaves: Leaves, file: string): GivenSettings {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    const why = messageOf(cause);
    throw new CrawlError('BAD_INPUT', `cannot read the settings file ${file}: ${why}`, { cause });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    // The message may quote the file, which may contain passwords.
    const why = messageOf(cause).replace(/(, )?(\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, '');
    throw new CrawlError('BAD_SETTING', `the settings file ${file} is not JSON${why && `: ${why}`}`);
  }
  if (!isObject(json)) {
    throw new CrawlError('BAD_SETTING', `the settings file ${file} is not a JSON object`);
  }
  return flatten(leaves, json, { source: `file ${file}`, folder: dirname(absolutePath(file)), text: false });
}

/** Reads settings from options of the command or from code: nested objects or dotted keys. Text is converted to the type of the setting. */
export function givenByOptions(leaves: Leaves, overrides: Readonly<Record<string, unknown>>): GivenSettings {
  return flatten(leaves, overrides, { source: 'option', folder: absolutePath(), text: true });
}

/**
 * Reads settings from the environment. A variable is `WEBCRAWL_` and the key, with `_` instead of the dot. Case and other `_` are
 * ignored: `http.agentName` is `WEBCRAWL_HTTP_AGENTNAME` or `WEBCRAWL_HTTP_AGENT_NAME`. A variable that is not a setting is a problem if it
 * begins with the name of a section, or is similar to a key. All other variables belong to other programs.
 */
export function givenByEnvironment(leaves: Leaves, env: Readonly<Record<string, string | undefined>>): GivenSettings {
  const keys = new Map([...leaves.keys()].map((key) => [foldKey(key), key]));
  const sections = new Set([...leaves.keys()].map((key) => foldKey(key.split('.')[0] ?? key)));
  const given: Given[] = [];
  const problems: Problem[] = [];
  for (const name of Object.keys(env).sort()) {
    const text = env[name];
    const rest = /^webcrawl_(.+)$/i.exec(name)?.[1];
    if (rest === undefined || text === undefined) continue;
    const source = `environment ${name}`;
    const key = keys.get(foldKey(rest));
    const leaf = key === undefined ? undefined : leaves.get(key);
    if (key !== undefined && leaf) {
      const twin = given.find((other) => other.key === key);
      if (twin) problems.push({ key, source, text: `given twice, also by ${twin.source}` });
      given.push({ key, value: fromText(leaf.type, text), source, folder: absolutePath() });
    } else if (
      sections.has(foldKey(rest.split('_')[0] ?? '')) ||
      didYouMean(rest, [...leaves.keys()], 2) !== undefined
    ) {
      problems.push(unknownKey(leaves, rest, source));
    }
  }
  return { given, problems };
}

function flatten(
  leaves: Leaves,
  settings: Readonly<Record<string, unknown>>,
  place: { source: string; folder: string; text: boolean },
): GivenSettings {
  const given: Given[] = [];
  const problems: Problem[] = [];
  const { source, folder } = place;
  const walk = (object: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(object)) {
      const key = prefix + name;
      const leaf = leaves.get(key);
      if (value === undefined) continue;
      if (leaf) {
        if (given.some((other) => other.key === key)) problems.push({ key, source, text: 'given twice' });
        const typed = place.text && typeof value === 'string' ? fromText(leaf.type, value) : value;
        given.push({ key, value: typed, source, folder });
      } else if ([...leaves.keys()].some((known) => known.startsWith(`${key}.`))) {
        if (isObject(value)) walk(value, `${key}.`);
        else problems.push({ key, source, text: 'a section, expected an object of settings' });
      } else {
        problems.push(unknownKey(leaves, key, source));
      }
    }
  };
  walk(settings, '');
  return { given, problems };
}

/** Old names of settings, and of values as `key=value`. */
const RENAMED: Readonly<Record<string, string>> = {
  'http.timeLimit': 'http.timeLimitMs',
  'fetcher.backoffMin': 'fetcher.minBackoffSeconds',
  'fetcher.backoffMax': 'fetcher.maxBackoffSeconds',
  'fetcher.maxBackoffWait': 'fetcher.maxBackoffWaitSeconds',
  'generate.lockExpiry': 'generate.lockExpirySeconds',
  'db.changesKept': 'db.changesKeptDays',
  'db.signature=md5': 'sha1',
  'propose.minUseful': 'propose.minRelevant',
  'rank.maxRounds': 'rank.maxIterations',
  'search.weightLanguage': 'search.languageBoost',
};

function unknownKey(leaves: Leaves, key: string, source: string): Problem {
  if (key === 'http.http2')
    return { key, source, text: 'this setting no longer exists, since HTTP/1.1 is always used; remove it' };
  const renamed = Object.entries(RENAMED).find(([old]) => foldKey(old) === foldKey(key))?.[1];
  return { key, source, text: `no such setting${suggestion(renamed ?? didYouMean(key, [...leaves.keys()]))}` };
}

/** Returns the end of the message on a value that was renamed; for other values nothing. */
export function renamedValue({ key, value }: Given): string {
  return typeof value === 'string' ? suggestion(RENAMED[`${key}=${value}`]) : '';
}

function suggestion(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Converts text from the environment or the command line to the type of a setting: a decimal number, `true`/`false`/`1`/`0`, a list with
 * commas, or a JSON object. Text of another form is returned unchanged, so that the schema rejects the text.
 */
function fromText(type: LeafType, text: string): unknown {
  const word = text.trim();
  if (type.type === 'array') return word === '' ? [] : word.split(',').map((item) => item.trim());
  if (type.type === 'object') return word === '' ? {} : (parseJson(word) ?? text);
  if (type.type === 'boolean') return BOOLEANS.get(word.toLowerCase()) ?? text;
  const numeric = type.anyOf ?? [type];
  if (!numeric.some(({ type }) => type === 'number' || type === 'integer')) return text;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
