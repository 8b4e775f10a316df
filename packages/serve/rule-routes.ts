import { CrawlError } from '../errors/index.js';
import type { PrefixSelection } from '../focus/index.js';
import { dangerOf } from '../jobs/index.js';
import type { Rule, RuleCounts } from '../../webtable/index.js';
import { jsonAnswer, pageAnswer, redirect, type Answer } from './http/answer.js';
import { problemOf, type Problem } from './http/errors.js';
import type { FormGuard } from './http/form-guard.js';
import type { FormRequest, FormRoute, Request, Route } from './http/request.js';
import { prefixesPage } from './pages/prefixes-page.js';
import { proposalsPage, type LastApplied } from './pages/proposals-page.js';
import { ruleReportPage } from './pages/rule-report-page.js';
import { dangerPage, rulesPage } from './pages/rules-page.js';
import { deadline } from '../util/index.js';
import type { RulesSource, ShownRule } from './source.js';

/** What the routes of the rules answer from. */
export interface RuleRoutesContext {
  readonly rules: RulesSource;
  readonly guard: FormGuard;
  /** Makes the answer for what went wrong. */
  readonly problem: (request: Pick<Request, 'path' | 'params'>, problem: Problem) => Answer;
}

/** Rules on a page, and in an answer of the API. */
const A_PAGE = 50;
const AN_ANSWER = 1000;
const NOTHING: RuleCounts = { refused: 0, fit: 0, links: 0 };
/** Milliseconds that a report is waited for. */
const PATIENCE_MS = 20_000;

/** Prefixes on a page, and in an answer of the API. */
const MOST_SHOWN = 500;
const MOST_ANSWERED = 10_000;
/** Names deep that the tree of a whole table is shown where nothing else is asked for. */
const SHALLOW = 1;

const LATE: Problem = {
  status: 503,
  code: 'LATE',
  message: 'The report is being made, which takes its time on a large table',
  hint: 'ask again in a minute',
};

/** What is answered of rules, and what is done with forms, by path. */
export interface RuleRoutes {
  /** All of it only reads. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly forms: Readonly<Record<string, FormRoute>>;
  /** Ends what a form has begun, and waits until it has ended. */
  close(): Promise<void>;
}

/** All that a server answers of rules. */
export function createRuleRoutes(context: RuleRoutesContext): RuleRoutes {
  const applying = createApplying(context.rules);
  return {
    routes: createReading(context, applying),
    forms: createForms(context, applying),
    close: () => applying.close(),
  };
}

/** Browsers of which it is kept what became of what they applied. */
const MOST_KEPT = 100;

/** Applies proposals, one at a time, and keeps what became of them for those who pressed. */
function createApplying(rules: RulesSource) {
  const closing = new AbortController();
  // By token: each is of one browser.
  const outcomes = new Map<string, LastApplied>();
  let running: Promise<void> | undefined;

  async function run(token: string, list: string, number: number): Promise<void> {
    const keep = (outcome?: LastApplied['outcome']): void => {
      outcomes.delete(token);
      outcomes.set(token, { number, ...(outcome && { outcome }) });
      const [oldest] = outcomes.keys();
      if (outcomes.size > MOST_KEPT) outcomes.delete(oldest!);
    };
    keep();
    try {
      closing.signal.throwIfAborted();
      keep({ added: await rules.applyProposal(list, number, closing.signal) });
    } catch (error) {
      keep({ problem: closing.signal.aborted ? STOPPED : reasonOf(error) });
    }
  }

  return {
    get isBusy() {
      return running !== undefined;
    },
    /** What became of the proposal that was last applied from a browser. */
    lastOf: (token: string | undefined): LastApplied | undefined =>
      token === undefined ? undefined : outcomes.get(token),
    /** Ends when it is through, which may take as long as the table is read. It never rejects. */
    apply(token: string, list: string, number: number): Promise<void> {
      return (running = run(token, list, number).finally(() => (running = undefined)));
    },
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

const STOPPED = 'the server was ended before it was checked.';

/** Of what is no failure of this machine all that is said, else what its code means. */
function reasonOf(error: unknown): string {
  if (error instanceof CrawlError && SAID.has(error.code)) return `${error.message}.`;
  const { message, hint } = problemOf(error);
  return hint === undefined ? message : `${message}; ${hint}.`;
}

const SAID: ReadonlySet<string> = new Set(['STALE_PROPOSAL', 'UNKNOWN_PROPOSAL', 'BAD_RULE']);

type Applying = ReturnType<typeof createApplying>;

function createReading({ rules, guard, problem }: RuleRoutesContext, applying: Applying): RuleRoutes['routes'] {
  /** Undefined: it is not ready in time. */
  const report = () => deadline(rules.report(), PATIENCE_MS, () => undefined);

  async function read(request: Request, most: number) {
    const all = await rules.list();
    const pages = Math.max(1, Math.ceil(all.rules.length / most));
    const page = pageOf(request, pages);
    const ofPage = all.rules.slice((page - 1) * most, page * most);
    const ids = ofPage.map(({ id }) => id);
    const [counts, histories] = [await rules.counts(ids), await rules.histories(ids)];
    const shown = ofPage.map((rule): ShownRule => ({ ...rule, counts: counts.get(rule.id) ?? NOTHING }));
    return { all, pages, page, shown, histories };
  }

  return {
    async '/rules'(request) {
      const found = await read(request, A_PAGE);
      const { token, whyNot, headers } = askerOf(guard, request);
      const changed = found.all.rules.find(({ id }) => id === request.params.get('changed'));
      const body = rulesPage({
        ...found,
        now: Date.now(),
        ...(token !== undefined && { token }),
        ...(whyNot !== undefined && { whyNot }),
        ...(changed && { changed }),
      });
      return pageAnswer(body, { headers });
    },
    async '/rules/report'(request) {
      const found = await report();
      return found ? pageAnswer(ruleReportPage(found, Date.now())) : problem(request, LATE);
    },
    async '/api/rules'(request) {
      const { all, pages, page, shown, histories } = await read(request, AN_ANSWER);
      const { version, contradictions, broken } = all;
      return jsonAnswer({
        version,
        page,
        pages,
        total: all.rules.length,
        rules: shown.map((rule) => ({ ...rule, history: histories.get(rule.id) ?? [] })),
        contradictions,
        broken,
      });
    },
    async '/api/rules/report'(request) {
      const found = await report();
      return found ? jsonAnswer(found) : problem(request, LATE);
    },
    async '/rules/prefixes'({ params }) {
      const asked = selectionOf(params);
      const depth = asked.depth ?? (asked.domain === undefined ? SHALLOW : undefined);
      const selection = { ...asked, ...(depth !== undefined && { depth }) };
      return pageAnswer(prefixesPage(await rules.prefixes(selection, MOST_SHOWN), selection));
    },
    async '/api/prefixes'({ params }) {
      const { statistics, ...found } = await rules.prefixes(selectionOf(params), MOST_ANSWERED);
      return jsonAnswer({ statistics: statistics ?? null, ...found });
    },
    async '/rules/proposals'(request) {
      const { headers, token, whyNot } = askerOf(guard, request);
      const found = await rules.proposals();
      const last = applying.lastOf(token);
      const body = proposalsPage({
        found,
        isBusy: applying.isBusy,
        ...(last && { last }),
        ...(token !== undefined && { token }),
        ...(whyNot !== undefined && { whyNot }),
      });
      return pageAnswer(body, { headers });
    },
    async '/api/proposals'() {
      return jsonAnswer((await rules.proposals()) ?? { id: '', proposals: [] });
    },
  };
}

function createForms({ rules, guard, problem }: RuleRoutesContext, applying: Applying): RuleRoutes['forms'] {
  return {
    '/rules/change': (request) =>
      guarded({ guard, problem }, request, async () => {
        const { form } = request;
        const [id, state] = [form.get('id') ?? '', stateOf(form.get('state'))];
        const rule = (await rules.list()).rules.find((each) => each.id === id);
        if (!rule) return problem(request, noRule(id));
        try {
          await rules.setState(id, state, form.get('yes') === 'yes');
        } catch (error) {
          const asked = dangerAnswer(error, request, guard, rule, state);
          if (asked) return asked;
          throw error;
        }
        return redirect(`/rules?changed=${id}#${id}`);
      }),
    '/rules/apply': (request) =>
      guarded({ guard, problem }, request, async () => {
        const { form } = request;
        if (applying.isBusy) return problem(request, BUSY);
        const number = Number(form.get('number'));
        if (!Number.isSafeInteger(number)) throw new CrawlError('USAGE', 'expected the number of a proposal');
        const list = (form.get('list') ?? '').slice(0, 100);
        await deadline(applying.apply(form.get('token')!, list, number), PATIENCE_MS, () => undefined);
        return redirect('/rules/proposals');
      }),
  };
}

const BUSY: Problem = {
  status: 503,
  code: 'BUSY',
  message: 'Another proposal is being checked',
  hint: 'load the page of the proposals again in a while',
};

/** Does what a form says where it may be taken. */
function guarded(
  { guard, problem }: Pick<RuleRoutesContext, 'guard' | 'problem'>,
  request: FormRequest,
  act: () => Promise<Answer>,
): Promise<Answer> | Answer {
  const wrong = guard.problemOf(request);
  return wrong ? problem(request, wrong) : act();
}

/** The page that asks again, of a change that would cut too much; undefined of any other error. */
function dangerAnswer(
  error: unknown,
  request: Request,
  guard: FormGuard,
  rule: Rule,
  state: Rule['state'],
): Answer | undefined {
  const danger = dangerOf(error);
  if (!danger) return undefined;
  const { token, headers } = guard.passFor(request);
  return pageAnswer(dangerPage(rule, state, danger, token), { status: 409, headers });
}

/** What the page needs of who asks: a token where he may change something, else why not. */
export function askerOf(guard: FormGuard, request: Request) {
  const whyNot = guard.whyNot(request);
  return whyNot === undefined ? { ...guard.passFor(request), whyNot } : { whyNot, token: undefined, headers: {} };
}

const noRule = (id: string): Problem => ({
  status: 404,
  code: 'UNKNOWN_RULE',
  message: `There is no rule ${id.slice(0, 20)} any more.`,
});

function stateOf(given: string | null): Rule['state'] {
  if (given === 'active' || given === 'disabled') return given;
  throw new CrawlError(
    'USAGE',
    `expected active or disabled as the state of a rule, found ${(given ?? 'none').slice(0, 20)}`,
  );
}

/** @throws CrawlError USAGE */
function selectionOf(params: URLSearchParams): PrefixSelection {
  const domain = (params.get('domain') ?? '').trim();
  const [min, depth] = ['min', 'depth'].map((name) => {
    const given = params.get(name) ?? '';
    if (given === '') return undefined;
    if (/^\d{1,9}$/.test(given)) return Number(given);
    throw new CrawlError('USAGE', `expected a whole number as ${name}, found ${given.slice(0, 20)}`);
  });
  return {
    ...(domain !== '' && { domain: domain.slice(0, 255) }),
    ...(min !== undefined && { min }),
    ...(depth !== undefined && { depth }),
  };
}

/** @throws CrawlError USAGE */
function pageOf({ params, path }: Request, pages: number): number {
  const given = params.get('page') ?? '1';
  const page = Number(given);
  if (Number.isInteger(page) && page >= 1 && page <= pages) return page;
  throw new CrawlError('USAGE', `expected a page from 1 to ${pages}, found ${given.slice(0, 20)}`, {
    hint: `${path}?page=1`,
  });
}
