import { versionOf } from '../patterns/index.js';
import type { Steps } from '../util/index.js';
import type { Rule, WwwRule } from '../../webtable/index.js';

/** Whether a rule never refuses a relevant page. */
export function isGeneratedReject({ kind, origin }: Pick<Rule, 'kind' | 'origin'>): boolean {
  return kind === 'reject' && origin === 'generated';
}

/**
 * Computes a version for each active rule that refuses URLs. The version changes when the rule may refuse other URLs than before. A rule
 * itself never changes, but an earlier `accept` rule that may match the same URLs may be added or removed. For a generated rule, a
 * `relevant` rule may be added or removed too.
 * @param rules the active rules, in order of evaluation
 */
export function* versionsOf(rules: readonly Rule[]): Steps<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  /**
   * The ids of the accept rules so far, by scope. The list of a scope has the rules of the scope itself, and of hosts and domains inside
   * the scope.
   */
  const before = new Map<string, string[]>();
  const known = new Map<string, string>();
  const spared = new Map<string, string>();
  const relevant = rules.filter(({ kind }) => kind === 'relevant').map(({ id }) => id);
  for (const [i, rule] of rules.entries()) {
    if (i % RULES_PER_STEP === 0) yield;
    const { id, kind, scope } = rule;
    if (kind === 'accept') {
      for (const each of scopesAround(scope)) {
        const ids = before.get(each);
        if (ids) ids.push(id);
        else before.set(each, [id]);
        known.delete(each);
      }
    }
    if (kind !== 'reject') continue;
    let version = known.get(scope);
    if (version === undefined) {
      const ids = before.get(scope);
      known.set(scope, (version = ids ? versionOf(ids).slice(0, 8) : '0'));
    }
    if (isGeneratedReject(rule) && relevant.length > 0) {
      let own = spared.get(version);
      if (own === undefined) spared.set(version, (own = versionOf([version, ...relevant]).slice(0, 8)));
      version = own;
    }
    versions.set(id, version);
  }
  yield* addVersionsOfWww(
    rules.filter((rule): rule is WwwRule => rule.kind === 'www'),
    versions,
  );
  return versions;
}

const RULES_PER_STEP = 1000;

/** Adds the versions of `www` rules. Other `www` rules for the same domain may change the effect of a `www` rule. */
function* addVersionsOfWww(rules: readonly WwwRule[], versions: Map<string, string>): Steps<void> {
  const byHost = new Map<string, { readonly id: string; readonly at: number }[]>();
  for (const [at, { id, scope }] of rules.entries()) {
    const found = byHost.get(scope);
    if (found) found.push({ id, at });
    else byHost.set(scope, [{ id, at }]);
  }
  for (const [i, scope] of [...byHost.keys()].entries()) {
    if (i % RULES_PER_STEP === 0) yield;
    const own = byHost.get(scope)!;
    const neighbours = neighboursOf(scope).flatMap((other) => byHost.get(other) ?? []);
    const others = [...own, ...neighbours].sort((a, b) => a.at - b.at).map(({ id }) => id);
    const version = others.length > 1 ? versionOf(others).slice(0, 8) : '0';
    for (const { id } of own) versions.set(id, version);
  }
}

/** The scope itself, and all scopes that contain it. */
function scopesAround(scope: Rule['scope']): string[] {
  if (scope === '*') return ['*'];
  const name = scope.slice(scope.indexOf(':') + 1);
  const around = [scope as string];
  if (scope.startsWith('host:')) around.push(`domain:${name}`);
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
    around.push(`domain:${name.slice(dot + 1)}`);
  return [...around, '*'];
}

/** Returns the domains that differ from this domain only by `www.`. The rules of all these domains affect the same host. */
function neighboursOf(scope: string): string[] {
  const without = scope.replace(':www.', ':');
  return [scope.replace(':', ':www.'), ...(without === scope ? [] : [without])];
}
