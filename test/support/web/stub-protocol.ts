import type { FetchOutcome, FetchRequest, Plugin } from '../../../packages/webcrawl/internal.js';
import { ABSENT } from './outcomes.js';

export const DAY = 86_400_000;

export const MONTH = 31 * DAY;

/** A protocol plugin that records its requests and answers by `answer`. */
export function protocol(answer: (request: FetchRequest) => FetchOutcome | Promise<FetchOutcome>) {
  const requests: FetchRequest[] = [];
  const plugin: Plugin = {
    name: 'stub',
    protocol: {
      schemes: ['http'],
      async fetch(request) {
        if (request.url.endsWith('/robots.txt')) return ABSENT;
        requests.push(request);
        return answer(request);
      },
    },
  };
  return { plugin, requests };
}
