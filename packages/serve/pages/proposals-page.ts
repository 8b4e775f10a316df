import type { StoredProposal, StoredProposals } from '../../core/index.js';
import { figures } from '../../util/index.js';
import { html, type Html } from '../http/html.js';
import { namedValues } from './bar.js';
import { evidenceList } from './evidence.js';
import type { Layout } from './layout.js';
import { buttonForm, patternText, whyNotNote, rulesLayout, scopeText, type Asker } from './rules-page.js';
import { dayOf } from './untrusted.js';

const { number, quantity } = figures;

export interface LastApplied {
  readonly number: number;
  /** The result. Absent: the proposal is still being checked. */
  readonly outcome?: { readonly added: readonly string[] } | { readonly problem: string };
}

interface ProposalsPage extends Asker {
  readonly found: StoredProposals | undefined;
  readonly last: LastApplied | undefined;
  /** Whether a proposal is being checked, at the request of any browser. */
  readonly isBusy: boolean;
}

const REASONS: Readonly<Record<string, string>> = {
  useless_prefix: 'A section without a relevant page',
  facet: 'The same pages, sorted and filtered',
  session: 'A session in the address',
  calendar: 'A calendar without an end',
  www: 'The same pages with and without www',
};

const MAX_SHOWN_PROPOSALS = 200;

export function proposalsPage(given: ProposalsPage): Layout {
  const { found, last, isBusy } = given;
  const proposals = found?.proposals ?? [];
  return rulesLayout('Proposals', 'proposals', [
    last && html`<p class="note" role="status">${lastText(last)}</p>`,
    isBusy &&
      (!last || last.outcome) &&
      html`<p class="note">Another proposal is being checked; load this page again in a minute.</p>`,
    found
      ? html`<p class="facts">
          ${proposals.length === 0 ? 'Nothing is proposed' : quantity(proposals.length, 'proposal')}, as of
          ${dayOf(found.createdAt)}.
        </p>`
      : html`<p>
          Nothing was proposed
          yet${given.whyNot === undefined ? html`: <code>webcrawl rules propose</code> looks for sections that are not worth fetching. It needs a rule that says what is relevant.` : '.'}
        </p>`,
    found?.damaged !== undefined &&
      html`<p class="note">
        ${quantity(found.damaged, 'proposal')} cannot be
        read${given.whyNot === undefined ? html`: <code>webcrawl rules propose</code> makes them again.` : '.'}
      </p>`,
    proposals.length > 0 && whyNotNote(given),
    proposals.length > 0 &&
      html`<p>
        No proposal rejects a known relevant page, or the only path of links to such a page. This is checked again when
        a proposal is applied. The check reads the whole table and may take long.
      </p>`,
    html`<ol class="cards rules">
      ${proposals.slice(0, MAX_SHOWN_PROPOSALS).map((each) => proposalCard(each, found!.id, given))}
    </ol>`,
    proposals.length > MAX_SHOWN_PROPOSALS &&
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
    ${namedValues('pairs', [
      ['Pages it rejects', number(rows)],
      ['Of these fetched', number(fetched)],
    ])}
    <details open>
      <summary>Evidence<span class="hidden"> for proposal ${id}</span></summary>
      ${evidenceList(evidence)}
    </details>
  </li>`;
}

function lastText({ number: id, outcome }: LastApplied): Html {
  if (!outcome) return html`Proposal ${id} is being checked; load this page again to see the result.`;
  if ('problem' in outcome) return html`Proposal ${id} was not applied: ${outcome.problem}`;
  const [first] = outcome.added;
  if (first === undefined) return html`The rule exists already.`;
  return html`Proposal ${id} is <a href="/rules#${first}">rule ${first}</a> now. A running crawl uses it within two
    seconds.`;
}
