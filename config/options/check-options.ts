import { z } from 'zod';
import { CrawlError, safeText } from '../../packages/errors/index.js';
import { didYouMean } from '../did-you-mean.js';

const RENAMED: Readonly<Record<string, string | undefined>> = {
  onRest: 'onIdle',
  maxTime: 'maxSeconds',
  wait: 'waitSeconds',
  leaseWait: 'leaseWaitMs',
};

/** A schema for each option. If an option has no schema, or a schema no option, this does not compile. */
type OptionSchemas<O> = Readonly<Record<keyof O, z.ZodType>>;

/**
 * Makes the check of the options of a function.
 * @param what the function, as in "expected an option of <what>"
 * @returns a function that throws CrawlError USAGE for the first unknown, missing or wrong option. Only own properties of the object are
 * options, and an undefined value counts as absent
 */
export function optionsCheck<O>(what: string, schemas: OptionSchemas<O>): (options: unknown) => void {
  const schema = z.strictObject(schemas);
  return (options) => {
    const given = givenOf(options);
    const issues = schema.safeParse(given).error?.issues ?? [];
    // An unknown name is reported first. It is probably misspelt, and then an option is missing only for this reason.
    const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
    if (issue) throw wrongOption(what, Object.keys(schemas), issue, given);
  };
}

function givenOf(options: unknown): unknown {
  if (!isObject(options) || Array.isArray(options)) return options;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export function mustBe(schema: z.ZodType, name: string, value: unknown): void {
  const issue = schema.safeParse(value).error?.issues[0];
  if (issue) throw wrongValue(name, issue, at(value, issue.path));
}

type Issue = z.core.$ZodIssue;

function wrongOption(what: string, known: readonly string[], issue: Issue, options: unknown): CrawlError {
  const [name] = issue.path;
  if (name !== undefined) return wrongValue(String(name), issue, at(options, issue.path));
  if (issue.code !== 'unrecognized_keys') {
    return new CrawlError('USAGE', `expected the options of ${what} as an object, found ${shown(options)}`);
  }
  const [key = ''] = issue.keys;
  const meant = RENAMED[key] ?? didYouMean(key, known);
  return new CrawlError('USAGE', `${what} has no option "${safeText(key, 80)}"`, {
    hint: meant === undefined ? `its options are ${known.join(', ')}` : `did you mean ${meant}?`,
  });
}

function wrongValue(name: string, issue: Issue, found: unknown): CrawlError {
  if (issue.code !== 'invalid_value') {
    return new CrawlError('USAGE', `expected ${name} to be ${issue.message}, found ${shown(found)}`);
  }
  const values = issue.values.map(String);
  const meant = typeof found === 'string' ? didYouMean(found, values) : undefined;
  // If there are many names, the hint is enough.
  const few = values.length > 12 ? `a known name` : `one of ${values.join(', ')}`;
  return new CrawlError('USAGE', `expected ${name} to be ${few}, found ${shown(found)}`, {
    hint: meant === undefined ? `known names are ${values.join(', ')}` : `did you mean ${meant}?`,
  });
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const name of path) found = Array.isArray(found) || isObject(found) ? Reflect.get(found, name) : found;
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return `"${safeText(value, 80)}"`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
