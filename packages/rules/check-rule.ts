import { BadRule, compilePattern } from '../patterns/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { parseUrl } from '../url/index.js';
import { defined } from '../util/index.js';
import {
  LAST_MOMENT,
  type JsonValue,
  type Rule,
  type RulePattern,
  type RuleScope,
  type UrlRule,
  type WwwRule,
} from '../../webtable/index.js';

/** Optional fields that every kind of new rule may have. */
export interface NewRuleTraits {
  /** Default: `hand`. */
  readonly origin?: Rule['origin'];
  /** The evidence for a proposed rule. */
  readonly evidence?: JsonValue;
  /** Default: `active`. */
  readonly state?: Rule['state'];
  /** Creation time in ms since the epoch. Default: now. */
  readonly createdAt?: number;
  readonly note?: string;
}

/** A rule to add. */
export type NewRule =
  | (NewRuleTraits & {
      readonly kind: UrlRule['kind'];
      /** Default: `*`. */
      readonly scope?: RuleScope;
      readonly pattern: RulePattern;
    })
  | (NewRuleTraits & Pick<WwwRule, 'kind' | 'scope' | 'to'>);

/** A checked rule, complete except for id and times. */
export type CheckedRule = (
  | Omit<UrlRule, 'id' | 'changedAt' | 'createdAt'>
  | Omit<WwwRule, 'id' | 'changedAt' | 'createdAt'>
) & {
  readonly createdAt?: number;
};

const KINDS: readonly unknown[] = ['relevant', 'accept', 'reject', 'www'];
const MAX_PATTERN_CHARACTERS = 2_000;
const MAX_NOTE_CHARACTERS = 1_000;
const MAX_EVIDENCE_JSON_CHARACTERS = 65_536;

/**
 * Checks a rule that a user wrote. Host and prefix of the rule get the form of normalised URLs.
 * @param given any value, such as one from a file
 * @throws CrawlError BAD_RULE with the error, and with the position of an error in the pattern
 */
export function checkRule(given: unknown): CheckedRule {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw bad('a rule as an object', JSON.stringify(given) ?? String(given));
  }
  const { kind, scope = '*', pattern, to } = given as Record<string, unknown>;
  const traits = traitsOf(given as Record<string, unknown>);
  if (!KINDS.includes(kind)) throw bad('relevant, accept, reject or www as the kind of a rule', kind);
  const checked = scopeOf(scope);
  if (kind !== 'www') {
    if (to !== undefined) throw bad(`no "to" with a rule of kind ${String(kind)}`, to);
    return { ...traits, kind: kind as UrlRule['kind'], scope: checked, pattern: patternOf(pattern) };
  }
  if (pattern !== undefined) throw bad('no pattern with a rule of kind www', JSON.stringify(pattern));
  if (to !== 'with' && to !== 'without') throw bad('"with" or "without" for a rule of kind www', to);
  if (!checked.startsWith('domain:')) throw bad('a domain as the scope of a rule of kind www', scope);
  // A rule is for a whole domain, so the scope `www.example.com` is read as `example.com`.
  return { ...traits, kind: 'www', scope: checked.replace(/^domain:www\.(?=.*\.)/, 'domain:') as WwwRule['scope'], to };
}

function traitsOf(
  given: Record<string, unknown>,
): Pick<CheckedRule, 'origin' | 'evidence' | 'state' | 'createdAt' | 'note'> {
  const { origin = 'hand', evidence, state = 'active', createdAt, note } = given;
  if (origin !== 'hand' && origin !== 'generated') throw bad('hand or generated as the origin of a rule', origin);
  if (state !== 'active' && state !== 'disabled') throw bad('active or disabled as the state of a rule', state);
  if (createdAt !== undefined && !(typeof createdAt === 'number' && createdAt >= 0 && createdAt <= LAST_MOMENT)) {
    throw bad('a time in milliseconds since 1970 as createdAt', createdAt);
  }
  if (note !== undefined && !(typeof note === 'string' && note.length <= MAX_NOTE_CHARACTERS)) {
    throw bad(`a string of at most ${MAX_NOTE_CHARACTERS} characters as the note of a rule`, note);
  }
  if (evidence !== undefined && (JSON.stringify(evidence) ?? '').length > MAX_EVIDENCE_JSON_CHARACTERS) {
    throw bad(`evidence of at most ${MAX_EVIDENCE_JSON_CHARACTERS} characters of JSON`, 'more');
  }
  return {
    origin,
    state,
    ...defined({ evidence: evidence as JsonValue | undefined, createdAt, note }),
  };
}

/** @throws CrawlError BAD_RULE */
export function scopeOf(scope: unknown): RuleScope {
  const [, kind, name = ''] = /^(host|domain):(.*)$/s.exec(typeof scope === 'string' ? scope : '') ?? [];
  if (scope === '*') return '*';
  if (kind === undefined) throw bad('*, host:<name> or domain:<name> as the scope of a rule', scope);
  if (!/[\s:/\\?#@*]/.test(name.replace(/^\[.*\]$/, ''))) {
    try {
      const { hostname: host, pathname } = parseUrl(`http://${name}/`);
      if (host !== '' && pathname === '/') return `${kind as 'host' | 'domain'}:${host}`;
    } catch {
      // The name is no host. The error below says so.
    }
  }
  throw bad(`the name of a ${kind} without scheme, port and path`, name);
}

function patternOf(pattern: unknown): RulePattern {
  const { prefix, regex } = (typeof pattern === 'object' && pattern !== null ? pattern : {}) as Record<string, unknown>;
  if ((typeof prefix === 'string') === (typeof regex === 'string')) {
    throw bad('a pattern with either prefix or regex', JSON.stringify(pattern));
  }
  const text = String(prefix ?? regex);
  if (text.length > MAX_PATTERN_CHARACTERS)
    throw bad(`a pattern of at most ${MAX_PATTERN_CHARACTERS} characters`, `${text.length}`);
  return typeof prefix === 'string' ? { prefix: prefixOf(prefix) } : { regex: regexOf(text) };
}

function prefixOf(given: string): string {
  // Escapes are written as in normalised URLs.
  const prefix = given.replace(/[^!-~]+/g, (some) => encodeURIComponent(Buffer.from(some).toString()));
  if (prefix.startsWith('/')) return prefix;
  const hash = prefix.indexOf('#');
  if (hash >= 0) throw bad('a prefix without #, which no URL of the table has', given, hash);
  const [, origin, rest = ''] = /^(https?:\/\/[^/?]+)(.*)$/s.exec(prefix) ?? [];
  if (origin === undefined) throw bad('a prefix that begins with /, http:// or https://', given, 0);
  try {
    const { href } = parseUrl(`${origin}/`);
    // Without the slash, the prefix http://example.com would also match http://example.com.other.org.
    return `${href.slice(0, -1)}${rest.startsWith('/') ? rest : `/${rest}`}`;
  } catch {
    throw bad('a prefix with a host', given, origin.indexOf('//') + 2);
  }
}

function regexOf(regex: string): string {
  try {
    compilePattern(regex);
    return regex;
  } catch (error) {
    if (!(error instanceof BadRule)) throw error;
    const place = error.at === undefined ? '' : ` at character ${error.at + 1}`;
    throw new CrawlError(
      'BAD_RULE',
      `expected a pattern for URLs, found "${safeText(regex)}": ${error.message}${place}`,
      {
        hint:
          error.hint ??
          'a pattern is a regular expression that may match anywhere in the URL, such as /tag/ or ^https://example\\.com/docs/',
      },
    );
  }
}

function bad(expected: string, found: unknown, at?: number): CrawlError {
  const shown = typeof found === 'string' ? `"${safeText(found, 200)}"` : safeText(String(found), 200);
  const place = at === undefined ? '' : ` (character ${at + 1})`;
  return new CrawlError('BAD_RULE', `expected ${expected}, found ${found === undefined ? 'none' : shown}${place}`, {
    hint: 'for instance {"kind":"reject","scope":"host:example.com","pattern":{"prefix":"/tag/"}}; see `webcrawl rules add --help`',
  });
}
