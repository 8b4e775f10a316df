import { jsonReply, pageReply, textReply, type Reply } from './http/reply.js';
import type { Problem } from './http/errors.js';
import type { FormGuard } from './http/form-guard.js';
import type { Request } from './http/request.js';
import { layout, type Layout } from './pages/layout.js';
import { problemPage } from './pages/other-pages.js';
import type { Look, Site } from './site/site.js';

type Asker = Pick<Request, 'headers' | 'remoteAddress'>;

export type PageReplies = ReturnType<typeof createPageReplies>;

export function createPageReplies(site: Site, guard: FormGuard) {
  const lookOf = (asker: Asker): Look => ({ site, isOperator: guard.isLocal(asker) });

  function show(asker: Asker, page: Layout, rest: Partial<Omit<Reply, 'body' | 'type'>> = {}): Reply {
    const policy = page.script && { 'content-security-policy': page.script.policy };
    return pageReply(layout(lookOf(asker), page), { ...rest, headers: { ...policy, ...rest.headers } });
  }

  return {
    lookOf,
    show,

    /** Returns a problem as JSON for paths below `/api/`, and as a page for other paths. */
    problem(request: Asker & Pick<Request, 'path' | 'params'>, problem: Problem): Reply {
      const { status, ...error } = problem;
      if (request.path.startsWith('/api/')) return jsonReply({ error }, status);
      // A client that used a wrong host name gets only a plain text, because a page would show the site of this server.
      if (status === 421) return textReply(problem.message, status);
      return show(request, problemPage(lookOf(request), problem, queryOf(request.params)), { status });
    },
  };
}

export function queryOf(params: URLSearchParams): string {
  return (params.get('q') ?? '').trim().replace(/\s+/g, ' ');
}
