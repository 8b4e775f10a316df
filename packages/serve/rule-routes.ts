import { CrawlError } from '../errors/index.js';
import { dangerOf, type PrefixSelection } from '../focus/index.js';
import type { Rule } from '../core/index.js';
import { createApplying, type Applying } from './apply-proposals.js';
import { jsonReply, redirect, type Reply } from './http/reply.js';
import type { Problem } from './http/errors.js';
import type { FormGuard } from './http/form-guard.js';
import type { FormRequest, FormRoute, Request, Route } from './http/request.js';
import type { PageReplies } from './page-replies.js';
import { prefixesPage } from './pages/prefixes-page.js';
import { proposalsPage } from './pages/proposals-page.js';
import { ruleReportPage } from './pages/rule-report-page.js';
import { dangerPage, rulesPage } from './pages/rules-page.js';
import { deadline } from '../util/index.js';
import type { RulesSource, ShownRule } from './source.js';

interface RuleRoutesContext {
  readonly rules: RulesSource;
  readonly guard: FormGuard;
  readonly replies: PageReplies;
}

const RULES_PER_PAGE = 50;
const RULES_PER_RESPONSE = 1000;
const REPORT_TIMEOUT_MS = 20_000;

const PREFIXES_PER_PAGE = 500;
const MAX_PREFIXES = 10_000;
/** In names of the path. */
const DEPTH_OF_ALL_DOMAINS = 1;

const LATE: Problem = {
  status: 503,
  code: 'LATE',
  message: 'The report is being made. This takes some time on a large table',
  hint: 'load the report again in a minute',
};

export type RuleRoutes = ReturnType<typeof createRuleRoutes>;

export function createRuleRoutes(context: RuleRoutesContext) {
  const applying = createApplying(context.rules);
  return {
    routes: createReading(context, applying),
    forms: createForms(context, applying),
    /** Stops work that a form has begun, and waits until this work has ended. */
    close: (): Promise<void> => applying.close(),
  };
}

function createReading({ rules, guard, replies }: RuleRoutesContext, applying: Applying): Record<string, Route> {
  const { show, problem } = replies;
  /** Returns the report. Undefined: the report is not ready in time. */
  const report = () => deadline(rules.report(), REPORT_TIMEOUT_MS, () => undefined);

  async function read(request: Request, most: number) {
    const all = await rules.list();
    const { rules: ofPage, ...place } = pageOf(request, all.rules, most);
    const histories = await rules.histories(
      ofPage.map(({ id }) => id),
      request.signal,
    );
    const shown = ofPage.map((rule): ShownRule => ({ ...rule, history: histories.get(rule.id) ?? [] }));
    return { all, ...place, shown };
  }

  return {
    async '/rules'(request) {
      const found = await read(request, RULES_PER_PAGE);
      const { token, whyNot, headers } = askerOf(guard, request);
      const changed = found.all.rules.find(({ id }) => id === request.params.get('changed'));
      return show(request, rulesPage({ ...found, token, whyNot, changed }), { headers });
    },
    async '/rules/report'(request) {
      const found = await report();
      return found ? show(request, ruleReportPage(found, Date.now(), guard.isLocal(request))) : problem(request, LATE);
    },
    async '/api/rules'(request) {
      const { all, shown, ...place } = await read(request, RULES_PER_RESPONSE);
      const { version, contradictions, broken } = all;
      return jsonReply({
        version,
        ...place,
        rules: shown.map((rule) => ({ ...rule, counts: rule.history.at(-1) ?? null })),
        contradictions,
        broken,
      });
    },
    async '/api/rules/report'(request) {
      const found = await report();
      if (!found) return problem(request, LATE);
      return jsonReply({ ...found, ...pageOf(request, found.rules, RULES_PER_RESPONSE) });
    },
    async '/rules/prefixes'(request) {
      const asked = selectionOf(request.params);
      const depth = asked.depth ?? (asked.domain === undefined ? DEPTH_OF_ALL_DOMAINS : undefined);
      const selection = { ...asked, ...(depth !== undefined && { depth }) };
      return show(
        request,
        prefixesPage(
          await rules.prefixes(selection, PREFIXES_PER_PAGE, request.signal),
          selection,
          guard.isLocal(request),
        ),
      );
    },
    async '/api/prefixes'({ params, signal }) {
      const { statistics, ...found } = await rules.prefixes(selectionOf(params), MAX_PREFIXES, signal);
      return jsonReply({ statistics: statistics ?? null, ...found });
    },
    async '/rules/proposals'(request) {
      const { headers, token, whyNot } = askerOf(guard, request);
      const found = await rules.proposals(request.signal);
      const { isBusy } = applying;
      const body = proposalsPage({ found, isBusy, last: applying.lastOf(token), token, whyNot });
      return show(request, body, { headers });
    },
    async '/api/proposals'({ signal }) {
      return jsonReply((await rules.proposals(signal)) ?? { id: '', proposals: [] });
    },
  };
}

function createForms({ rules, guard, replies }: RuleRoutesContext, applying: Applying): Record<string, FormRoute> {
  const { problem } = replies;
  return {
    '/rules/change': (request) =>
      guarded({ guard, replies }, request, async () => {
        const { form } = request;
        const [id, state] = [form.get('id') ?? '', stateOf(form.get('state'))];
        const rule = (await rules.list()).rules.find((each) => each.id === id);
        if (!rule) return problem(request, noRule(id));
        try {
          await rules.setState(id, state, form.get('yes') === 'yes');
        } catch (error) {
          const asked = dangerReply(error, request, { guard, replies }, rule, state);
          if (asked) return asked;
          throw error;
        }
        return redirect(`/rules?changed=${id}#${id}`);
      }),
    '/rules/apply': (request) =>
      guarded({ guard, replies }, request, async () => {
        const { form } = request;
        if (applying.isBusy) return problem(request, BUSY);
        const number = Number(form.get('number'));
        if (!Number.isSafeInteger(number)) throw new CrawlError('USAGE', 'expected the number of a proposal');
        const list = (form.get('list') ?? '').slice(0, 100);
        await deadline(applying.apply(form.get('token')!, list, number), REPORT_TIMEOUT_MS, () => undefined);
        return redirect('/rules/proposals');
      }),
  };
}

const BUSY: Problem = {
  status: 503,
  code: 'BUSY',
  message: 'Another proposal is being checked',
  hint: 'load the page of the proposals again in a minute',
};

function guarded(
  { guard, replies }: Pick<RuleRoutesContext, 'guard' | 'replies'>,
  request: FormRequest,
  act: () => Promise<Reply>,
): Promise<Reply> | Reply {
  const wrong = guard.problemOf(request);
  return wrong ? replies.problem(request, wrong) : act();
}

/** Returns the page that asks the user to confirm a dangerous change. Undefined: the error has another reason. */
function dangerReply(
  error: unknown,
  request: Request,
  { guard, replies }: Pick<RuleRoutesContext, 'guard' | 'replies'>,
  rule: Rule,
  state: Rule['state'],
): Reply | undefined {
  const danger = dangerOf(error);
  if (!danger) return undefined;
  const { token, headers } = guard.passFor(request);
  return replies.show(request, dangerPage(rule, state, danger, token), { status: 409, headers });
}

/** Returns the rights of the sender for a page: a token if the sender may change rules, or else the reason why not. */
function askerOf(guard: FormGuard, request: Request) {
  const whyNot = guard.whyNot(request);
  return whyNot === undefined ? { ...guard.passFor(request), whyNot } : { whyNot, token: undefined, headers: {} };
}

const noRule = (id: string): Problem => ({
  status: 404,
  code: 'UNKNOWN_RULE',
  message: `The rule ${id.slice(0, 20)} no longer exists.`,
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

/** Returns the requested page of a list. @throws CrawlError USAGE */
function pageOf<T>({ params, path }: Request, all: readonly T[], most: number) {
  const pages = Math.max(1, Math.ceil(all.length / most));
  const given = params.get('page') ?? '1';
  const page = Number(given);
  if (Number.isInteger(page) && page >= 1 && page <= pages)
    return { page, pages, total: all.length, rules: all.slice((page - 1) * most, page * most) };
  throw new CrawlError('USAGE', `expected a page from 1 to ${pages}, found ${given.slice(0, 20)}`, {
    hint: `${path}?page=1`,
  });
}
