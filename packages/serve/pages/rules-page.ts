import type { ProposedRule, Rule, RuleCounts, RulePoint } from '../../core/index.js';
import type { RuleDanger } from '../../focus/index.js';
import { describeRule } from '../../rules/index.js';
import { figures } from '../../util/index.js';
import { html, type Html, type Piece } from '../http/html.js';
import type { ShownRule, ShownRules } from '../source.js';
import { namedValues } from './bar.js';
import { chart, chartPaths } from './chart.js';
import { evidenceList } from './evidence.js';
import type { Layout } from './layout.js';
import { dayOf, momentOf } from './untrusted.js';

const { duration, number, quantity } = figures;

/** The rights of the sender of a request. All pages about rules need them. */
export interface Asker {
  /** The token for forms. Undefined: the page has no forms, because the sender may not change rules. */
  readonly token: string | undefined;
  readonly whyNot: string | undefined;
}

interface RulesPage extends Asker {
  readonly all: ShownRules;
  readonly shown: readonly ShownRule[];
  readonly page: number;
  readonly pages: number;
  readonly changed: Rule | undefined;
}

/** The page with the rules in order of evaluation, their decisions over time, and buttons. It works without scripts. */
export function rulesPage(given: RulesPage): Layout {
  const { all, shown, page, pages, changed } = given;
  const active = all.rules.filter(({ state }) => state === 'active').length;
  const facts =
    all.rules.length === 0
      ? 'There are no rules yet.'
      : `${number(active)} active, ${number(all.rules.length - active)} disabled, in order of evaluation.`;
  return rulesLayout('Rules', 'rules', [
    changed && html`<p class="note" role="status">${changedText(changed)}</p>`,
    html`<p class="facts">${facts}${all.rules.length > 0 && html` ${countedText(shown)}`}</p>`,
    whyNotNote(given),
    all.rules.length === 0 &&
      given.whyNot === undefined &&
      html`<p>
        A rule says which pages are relevant, or which pages must not be fetched.
        <code>webcrawl rules add --help</code> explains how to make a rule, and <code>webcrawl rules propose</code>
        suggests rules from the crawled pages.
      </p>`,
    all.contradictions
      .slice(0, 20)
      .map(
        ({ decides, idle }) =>
          html`<p class="note">${decides} and ${idle} contradict each other on the same URLs: ${decides} decides.</p>`,
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

export function rulesLayout(title: string, at: (typeof TABS)[number][0] | undefined, main: Piece): Layout {
  return {
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
  };
}

/** Returns a note that says why the page has no buttons. Undefined: the page has buttons. */
export function whyNotNote({ whyNot }: Asker): Html | undefined {
  if (whyNot === undefined) return undefined;
  return html`<p class="note">${whyNot}</p>`;
}

function changedText(rule: Rule): Html {
  return html`${rule.id} is ${rule.state === 'active' ? 'active' : 'disabled'} now: <bdi>${describeRule(rule)}</bdi>. A
    running crawl uses the change within two seconds.`;
}

function countedText(shown: readonly ShownRule[]): Html {
  const at = Math.max(...shown.map(({ history }) => history.at(-1)?.at ?? -Infinity));
  return Number.isFinite(at)
    ? html`Counted as of ${momentOf(at)}.`
    : html`Their decisions are not counted yet: <code>webcrawl rules list --counts</code> counts them.`;
}

/** Makes a form with one button. For screen readers, the label of the button also names the rule. */
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

function ruleCard(rule: ShownRule, { token, all }: RulesPage): Html {
  const { id, kind, state, history, note, evidence, origin, createdAt } = rule;
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
    ${broken !== undefined && html`<p class="note">This rule cannot be used, and is ignored: ${broken}</p>`}
    ${note !== undefined && note !== '' && html`<p><bdi>${note}</bdi></p>`} ${namedValues('pairs', factsOf(rule))}
    ${kind !== 'accept' && history.length > 0 && historyChart(rule, history)}
    ${
      evidence !== undefined &&
      html`<details>
        <summary>Evidence<span class="hidden"> for ${id}</span></summary>
        ${evidenceList(evidence)}
      </details>`
    }
    ${kind === 'accept' && html`<p class="quiet">The <a href="/rules/report">report</a> shows the pages that it accepted.</p>`}
  </li>`;
}

export function patternText(rule: ProposedRule): string {
  if (rule.kind === 'www') return `${rule.to} www`;
  return 'prefix' in rule.pattern ? rule.pattern.prefix : `regex ${rule.pattern.regex}`;
}

export function scopeText({ scope }: ProposedRule): string {
  if (scope === '*') return 'all hosts';
  return scope.replace(':', ' ');
}

function factsOf({ kind, history }: ShownRule): [string, string][] {
  const last = history.at(-1);
  if (!last) return [];
  const { refused, links, relevant } = last;
  if (kind === 'relevant') return [['Relevant pages', number(relevant)]];
  if (kind === 'accept') return [];
  return [
    ['Pages passed over', number(refused)],
    ['Links rejected', number(links)],
  ];
}

const POINTS_PER_CHART = 160;

function historyChart({ id, kind, createdAt }: Rule, history: readonly RulePoint[]): Html {
  const isRelevant = kind === 'relevant';
  const of = ({ refused, links, relevant }: RuleCounts): number => (isRelevant ? relevant : refused + links);
  const last = history.at(-1)!;
  const begin = Math.min(createdAt, history[0]!.at);
  const values = stepsOf(history, begin, last.at, of);
  const paths = chartPaths(values);
  const name = `${isRelevant ? 'Relevant pages' : 'Pages passed over and links rejected'} over time by ${id}: ${number(of(last))} at last, at most ${number(paths.most)}`;
  return html`${chart(`h-${id}`, name, paths)}
    <p class="axis">
      <span>${duration(Math.round((last.at - begin) / 1000))} up to ${momentOf(last.at)}</span
      ><span>most ${quantity(paths.most, isRelevant ? 'page' : 'rejection')}</span>
    </p>`;
}

/** Returns values at equal intervals. Each value is the count of the last point up to its time. Before the first point, values are 0. */
function stepsOf(
  history: readonly RulePoint[],
  begin: number,
  end: number,
  of: (counts: RuleCounts) => number,
): number[] {
  const values: number[] = [];
  let at = -1;
  for (let i = 0; i < POINTS_PER_CHART; i += 1) {
    const time = begin + ((end - begin) * i) / (POINTS_PER_CHART - 1);
    while (at + 1 < history.length && history[at + 1]!.at <= time) at += 1;
    values.push(at < 0 ? 0 : of(history[at]!));
  }
  return values;
}

/** Returns the end of a sentence: the URLs that would be rejected. */
function dangerText({ rejectsAll, rejected, rows, seeds, seedUrls }: RuleDanger): Html {
  const pages = html`${number(rejected)} of ${quantity(rows, 'page')}`;
  if (rejectsAll) return html`every page (${pages})`;
  const shown = seedUrls.map((url, i) => html`${i > 0 && ', '}<bdi dir="ltr">${url}</bdi>`);
  return html`${quantity(seeds, 'seed')} (${shown}${seeds > seedUrls.length && ', …'}), and ${pages} in all`;
}

export function dangerPage(rule: Rule, state: Rule['state'], danger: RuleDanger, token: string): Layout {
  const { id } = rule;
  const act = state === 'active' ? 'Enable' : 'Disable';
  return rulesLayout(`${act} ${id}?`, undefined, [
    html`<p><bdi dir="ltr">${describeRule(rule)}</bdi></p>
      <p class="note danger" role="alert">To ${act.toLowerCase()} it would reject ${dangerText(danger)}.</p>
      <p>Nothing was changed.</p>
      <div class="acts">
        ${buttonForm('/rules/change', token, { id, state, yes: 'yes' }, { label: `${act} it anyway`, of: id, isBad: true })}
        <p><a href="/rules#${id}">Leave it as it is</a></p>
      </div>`,
  ]);
}
