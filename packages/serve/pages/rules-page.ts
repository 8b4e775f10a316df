import type { ProposedRule, Rule, RulePoint } from '../../../webtable/index.js';
import type { RuleDanger } from '../../jobs/index.js';
import { describeRule } from '../../rules/index.js';
import { figures } from '../../util/index.js';
import { html, type Html, type Piece } from '../http/html.js';
import type { ShownRule, ShownRules } from '../source.js';
import { chart, chartPaths } from './chart.js';
import { evidenceList } from './evidence.js';
import { layout } from './layout.js';
import { dayOf } from './untrusted.js';

const { duration, number, quantity } = figures;

/** What all pages of the rules need of who asks. */
export interface Asker {
  /** For the forms; undefined where there are none, as who asks may change nothing. */
  readonly token?: string;
  /** Why he may not, as a sentence. */
  readonly whyNot?: string;
}

/** What the page of the rules shows. */
export interface RulesPage extends Asker {
  readonly all: ShownRules;
  /** Those on this page. */
  readonly shown: readonly ShownRule[];
  readonly histories: ReadonlyMap<string, readonly RulePoint[]>;
  /** In ms since the epoch. */
  readonly now: number;
  readonly page: number;
  readonly pages: number;
  /** The rule that was just changed. */
  readonly changed?: Rule;
}

/** The rules in the order in which they are asked, what each has decided over time, and buttons. It works without scripts. */
export function rulesPage(given: RulesPage): Html {
  const { all, shown, page, pages, changed } = given;
  const active = all.rules.filter(({ state }) => state === 'active').length;
  const facts =
    all.rules.length === 0
      ? 'There are no rules yet.'
      : `${number(active)} active, ${number(all.rules.length - active)} disabled, in the order in which they are asked.`;
  return rulesLayout('Rules', 'rules', [
    changed && html`<p class="note" role="status">${changedText(changed)}</p>`,
    html`<p class="facts">${facts}</p>`,
    whyNotNote(given),
    all.rules.length === 0 &&
      html`<p>
        A rule says which pages are worth having, or are not to be fetched: <code>webcrawl rules add --help</code> says
        how one is made, and <code>webcrawl rules propose</code> finds some in what was crawled.
      </p>`,
    all.contradictions
      .slice(0, 20)
      .map(
        ({ decides, idle }) =>
          html`<p class="note">${decides} and ${idle} say the opposite of the same URLs: ${decides} decides.</p>`,
      ),
    html`<ol class="cards rules">
      ${shown.map((rule) => ruleCard(rule, given))}
    </ol>`,
    pages > 1 &&
      html`<nav class="pages" aria-label="Pages of rules">
        <ul>
          ${page > 1 && html`<li><a href="/rules?page=${page - 1}" rel="prev">Previous</a></li>`}
          <li><span aria-current="page">Page ${page} of ${pages}</span></li>
          ${page < pages && html`<li><a href="/rules?page=${page + 1}" rel="next">Next</a></li>`}
        </ul>
      </nav>`,
  ]);
}

const TABS = [
  ['rules', '/rules', 'Rules'],
  ['report', '/rules/report', 'Report'],
  ['prefixes', '/rules/prefixes', 'Prefixes'],
  ['proposals', '/rules/proposals', 'Proposals'],
] as const;

/** A page about rules, with the way to the others. */
export function rulesLayout(title: string, at: (typeof TABS)[number][0] | undefined, main: Piece): Html {
  return layout({
    title,
    at: 'rules',
    isWide: true,
    hasForms: true,
    main: html`<div class="head">
        <h1>${title}</h1>
        <nav class="tabs" aria-label="Rules">
          <ul>
            ${TABS.map(([name, href, label]) => html`<li><a href="${href}" ${name === at && html` aria-current="page"`}>${label}</a></li>`)}
          </ul>
        </nav>
      </div>
      ${main}`,
  });
}

/** Why there are no buttons, where there are none. */
export function whyNotNote({ whyNot }: Asker): Html | undefined {
  if (whyNot === undefined) return undefined;
  return html`<p class="note">${whyNot} <code>webcrawl rules</code> changes them from a terminal.</p>`;
}

function changedText(rule: Rule): Html {
  return html`${rule.id} is ${rule.state === 'active' ? 'active' : 'disabled'} now: <bdi>${describeRule(rule)}</bdi>. A
    crawl that runs takes it within two seconds.`;
}

/** A form of one button; who hears it hears what it is of. */
export function buttonForm(
  action: string,
  token: string,
  fields: Readonly<Record<string, string>>,
  { label, of, isBad = false }: { readonly label: string; readonly of: string; readonly isBad?: boolean },
): Html {
  return html`<form class="act" method="post" action="${action}">
    <input type="hidden" name="token" value="${token}" />
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button type="submit" ${isBad && html` class="bad"`}>${label}<span class="hidden"> ${of}</span></button>
  </form>`;
}

function ruleCard(rule: ShownRule, { histories, token, now, all }: RulesPage): Html {
  const { id, kind, state, counts, note, evidence, origin, createdAt } = rule;
  const [to, label] = state === 'active' ? ['disabled', 'Disable'] : ['active', 'Enable'];
  const broken = all.broken[id];
  return html`<li class="card rule" data-state="${state}">
    <div class="title">
      <h2 id="${id}"><span class="kind">${kind}</span> <bdi dir="ltr">${patternText(rule)}</bdi></h2>
      ${token !== undefined && buttonForm('/rules/change', token, { id, state: to }, { label: label, of: id })}
    </div>
    <p class="quiet">
      ${id}, ${scopeText(rule)}, ${origin === 'generated' ? 'generated' : 'by hand'}
      ${dayOf(createdAt)}${state === 'disabled' && html`, <strong>disabled</strong>`}
    </p>
    ${broken !== undefined && html`<p class="note">It cannot be used, and is not asked: ${broken}</p>`}
    ${note !== undefined && note !== '' && html`<p><bdi>${note}</bdi></p>`}
    <dl class="pairs">
      ${factsOf(rule).map(
        ([name, n]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${number(n)}</dd>
          </div>`,
      )}
    </dl>
    ${kind !== 'accept' && historyChart(rule, histories.get(id) ?? [], now)}
    ${
      evidence !== undefined &&
      html`<details>
        <summary>Evidence<span class="hidden"> for ${id}</span></summary>
        ${evidenceList(evidence)}
      </details>`
    }
    ${kind === 'accept' && counts.refused + counts.links + counts.fit === 0 && html`<p class="quiet">What it let through is in the <a href="/rules/report">report</a>.</p>`}
  </li>`;
}

/** What a rule matches, for the eye. */
export function patternText(rule: ProposedRule): string {
  if (rule.kind === 'www') return `${rule.to} www`;
  return 'prefix' in rule.pattern ? rule.pattern.prefix : `regex ${rule.pattern.regex}`;
}

/** Of which hosts a rule is, for the eye. */
export function scopeText({ scope }: ProposedRule): string {
  if (scope === '*') return 'all hosts';
  return scope.replace(':', ' ');
}

/** What is counted of a rule of its kind. */
function factsOf({ kind, counts }: ShownRule): [string, number][] {
  const { refused, links, fit } = counts;
  if (kind === 'useful') return [['Pages worth having', fit]];
  if (kind === 'accept') return [];
  return [
    ['Pages passed over', refused],
    ['Links cut', links],
  ];
}

/** Values that a chart of a history is drawn of: of equal steps of time. */
const STEPS = 160;

/** What a rule cut, or marked, over time. */
function historyChart(rule: ShownRule, history: readonly RulePoint[], now: number): Html {
  const { id, kind, counts, createdAt } = rule;
  const isUseful = kind === 'useful';
  const of = ({ refused, links, fit }: ShownRule['counts']): number => (isUseful ? fit : refused + links);
  const begin = Math.min(createdAt, history[0]?.at ?? now, now);
  const values = stepsOf(history, begin, now, of);
  values[values.length - 1] = of(counts);
  const paths = chartPaths(values);
  const name = `${isUseful ? 'Pages worth having' : 'Pages passed over and links cut'} over time by ${id}: ${number(of(counts))} now, at the most ${number(paths.most)}`;
  return html`${chart(`h-${id}`, name, paths)}
    <p class="axis">
      <span>the last ${duration(Math.round((now - begin) / 1000))}</span
      ><span>most ${quantity(paths.most, isUseful ? 'page' : 'cut')}</span>
    </p>`;
}

/** What it was at equal steps of time: as at the last point before each; nothing before the first. */
function stepsOf(
  history: readonly RulePoint[],
  begin: number,
  end: number,
  of: (counts: ShownRule['counts']) => number,
): number[] {
  const values: number[] = [];
  let at = -1;
  for (let i = 0; i < STEPS; i += 1) {
    const time = begin + ((end - begin) * i) / (STEPS - 1);
    while (at + 1 < history.length && history[at + 1]!.at <= time) at += 1;
    values.push(at < 0 ? 0 : of(history[at]!));
  }
  return values;
}

/** What would be cut, as the end of a sentence. */
function dangerText({ cutsAll, cut, rows, seeds, seedUrls }: RuleDanger): Html {
  const pages = html`${number(cut)} of ${quantity(rows, 'page')}`;
  if (cutsAll) return html`every page (${pages})`;
  const shown = seedUrls.map((url, i) => html`${i > 0 && ', '}<bdi dir="ltr">${url}</bdi>`);
  return html`${quantity(seeds, 'seed')} (${shown}${seeds > seedUrls.length && ', …'}), and ${pages} in all`;
}

/** Says what a change would cut, and asks again. */
export function dangerPage(rule: Rule, state: Rule['state'], danger: RuleDanger, token: string): Html {
  const { id } = rule;
  const act = state === 'active' ? 'Enable' : 'Disable';
  return rulesLayout(`${act} ${id}?`, undefined, [
    html`<p><bdi dir="ltr">${describeRule(rule)}</bdi></p>
      <p class="note danger" role="alert">To ${act.toLowerCase()} it would cut ${dangerText(danger)}.</p>
      <p>Nothing was changed.</p>
      <div class="acts">
        ${buttonForm('/rules/change', token, { id, state, yes: 'yes' }, { label: `${act} it all the same`, of: id, isBad: true })}
        <p><a href="/rules#${id}">Leave it as it is</a></p>
      </div>`,
  ]);
}
