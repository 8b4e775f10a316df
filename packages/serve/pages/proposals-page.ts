import type { StoredProposal, StoredProposals } from '../../../webtable/index.js';
import { figures } from '../../util/index.js';
import { html, type Html } from '../http/html.js';
import { evidenceList } from './evidence.js';
import { buttonForm, patternText, whyNotNote, rulesLayout, scopeText, type Asker } from './rules-page.js';
import { dayOf } from './untrusted.js';

const { number, quantity } = figures;

/** What became of the proposal that was last applied by who asks. */
export interface LastApplied {
  readonly number: number;
  /** Absent: it is being checked. */
  readonly outcome?: { readonly added: readonly string[] } | { readonly problem: string };
}

/** What the page of the proposals shows. */
export interface ProposalsPage extends Asker {
  readonly found: StoredProposals | undefined;
  readonly last?: LastApplied;
  /** One is being checked, by whomever. */
  readonly isBusy: boolean;
}

/** Why a rule is proposed, in words. */
const REASONS: Readonly<Record<string, string>> = {
  useless_prefix: 'A section without a useful page',
  facet: 'The same pages, sorted and filtered',
  session: 'A session in the address',
  calendar: 'A calendar without an end',
  duplicate_section: 'The same pages as elsewhere',
  www: 'The same pages with and without www',
};

/** Proposals that are shown. */
const MOST = 200;

/** The rules that the crawler proposes, each with its evidence and a button. */
export function proposalsPage(given: ProposalsPage): Html {
  const { found, last, isBusy } = given;
  const proposals = found?.proposals ?? [];
  return rulesLayout('Proposals', 'proposals', [
    last && html`<p class="note" role="status">${lastText(last)}</p>`,
    isBusy &&
      (!last || last.outcome) &&
      html`<p class="note">Another proposal is being checked; load this page again in a while.</p>`,
    found
      ? html`<p class="facts">
          ${proposals.length === 0 ? 'Nothing is proposed' : quantity(proposals.length, 'proposal')}, as of
          ${dayOf(found.createdAt)}.
        </p>`
      : html`<p>
          Nothing was proposed yet: <code>webcrawl rules propose</code> looks for sections that are worth nothing. It
          needs a rule that says what is useful.
        </p>`,
    found?.damaged !== undefined &&
      html`<p class="note">
        ${quantity(found.damaged, 'proposal')} cannot be read: <code>webcrawl rules propose</code> makes them anew.
      </p>`,
    proposals.length > 0 && whyNotNote(given),
    proposals.length > 0 &&
      html`<p>
        None cuts a useful page that is known, or the only way to one. That is checked once more when one is applied,
        which reads the table and may take its time.
      </p>`,
    html`<ol class="cards rules">
      ${proposals.slice(0, MOST).map((each) => proposalCard(each, found!.id, given))}
    </ol>`,
    proposals.length > MOST &&
      html`<p class="note">The others are in <a href="/api/proposals">all proposals as JSON</a>.</p>`,
  ]);
}

function proposalCard(proposal: StoredProposal, list: string, { token, isBusy }: ProposalsPage): Html {
  const { number: id, rule, reason, evidence, rows, fetched } = proposal;
  return html`<li class="card rule">
    <div class="title">
      <h2 id="p${id}"><span class="kind">${rule.kind}</span> <bdi dir="ltr">${patternText(rule)}</bdi></h2>
      ${
        token !== undefined &&
        !isBusy &&
        buttonForm('/rules/apply', token, { list, number: String(id) }, { label: 'Apply', of: `proposal ${id}` })
      }
    </div>
    <p class="quiet">${scopeText(rule)}: ${REASONS[reason] ?? reason}</p>
    <dl class="pairs">
      <div>
        <dt>Pages it cuts</dt>
        <dd>${number(rows)}</dd>
      </div>
      <div>
        <dt>Of these fetched</dt>
        <dd>${number(fetched)}</dd>
      </div>
    </dl>
    <details open>
      <summary>Evidence<span class="hidden"> for proposal ${id}</span></summary>
      ${evidenceList(evidence)}
    </details>
  </li>`;
}

function lastText({ number: id, outcome }: LastApplied): Html {
  if (!outcome) return html`Proposal ${id} is being checked; load this page again to see what became of it.`;
  if ('problem' in outcome) return html`Proposal ${id} was not applied: ${outcome.problem}`;
  const [first] = outcome.added;
  if (first === undefined) return html`There is such a rule already.`;
  return html`Proposal ${id} is <a href="/rules#${first}">rule ${first}</a> now. A crawl that runs takes it within two
    seconds.`;
}
