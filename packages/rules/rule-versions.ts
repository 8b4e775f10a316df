import { versionOf } from '../patterns/index.js';
import type { Rule, WwwRule } from '../../webtable/index.js';
import { compareRules } from './rule-order.js';

/** Whether a rule refuses nothing that is useful. */
export function isGeneratedReject({ kind, origin }: Pick<Rule, 'kind' | 'origin'>): boolean {
  return kind === 'reject' && origin === 'generated';
}

/**
 * Of each rule that refuses URLs, a version that holds as long as it refuses what it does: until an `accept` rule comes or goes that is
 * asked before it and may be of the same URLs, and of a generated one until a `useful` rule comes or goes. A rule itself never changes; where it is not active it has no version.
 * @param rules active ones
 */
export function versionsOf(rules: readonly Rule[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  const sorted = rules.filter(({ kind }) => kind === 'accept' || kind === 'reject').sort(compareRules);
  /** The accept rules so far that may be of URLs of a scope: those of it, and of the hosts and domains in it. */
  const before = new Map<string, string[]>();
  const known = new Map<string, string>();
  const useful = rules.filter(({ kind }) => kind === 'useful').map(({ id }) => id);
  for (const rule of sorted) {
    const { id, kind, scope } = rule;
    if (kind === 'accept') {
      for (const each of scopesAround(scope)) {
        const ids = before.get(each);
        if (ids) ids.push(id);
        else before.set(each, [id]);
        known.delete(each);
      }
      continue;
    }
    let version = known.get(scope);
    if (version === undefined) {
      const ids = before.get(scope);
      known.set(scope, (version = ids ? versionOf(ids).slice(0, 8) : '0'));
    }
    versions.set(
      id,
      isGeneratedReject(rule) && useful.length > 0 ? versionOf([version, ...useful]).slice(0, 8) : version,
    );
  }
  const www = rules.filter((rule): rule is WwwRule => rule.kind === 'www');
  for (const { id, scope } of www) {
    const others = www
      .filter((other) => other.scope === scope || isNeighbour(other.scope, scope))
      .map((rule) => rule.id);
    versions.set(id, others.length > 1 ? versionOf(others).slice(0, 8) : '0');
  }
  return versions;
}

/** The scope itself, and all that hold it. */
function scopesAround(scope: Rule['scope']): string[] {
  if (scope === '*') return ['*'];
  const name = scope.slice(scope.indexOf(':') + 1);
  const around = [scope as string];
  if (scope.startsWith('host:')) around.push(`domain:${name}`);
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
    around.push(`domain:${name.slice(dot + 1)}`);
  return [...around, '*'];
}

/** Whether two domains differ by `www.` alone, so that the rules of both are of one host. */
function isNeighbour(a: string, b: string): boolean {
  return a.replace(':', ':www.') === b || b.replace(':', ':www.') === a;
}
