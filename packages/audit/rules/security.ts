import { LINK_KINDS } from '../facts/kinds.js';
import { createRules } from '../rule.js';
import { pagesThat } from './texts.js';

/** Kinds of parts that browsers block. Other parts, such as images and media, are loaded with a warning, or by https. */
const BLOCKED = (['script', 'stylesheet', 'iframe', 'frame', 'object', 'track'] as const).reduce(
  (flags, kind) => flags | (1 << LINK_KINDS.indexOf(kind)),
  0,
);

export const SECURITY_RULES = createRules('security', {
  'mixed-content': {
    severity: 'warn',
    title: 'Pages of https load parts by http',
    help: 'Load the part by https, or add upgrade-insecure-requests to the Content-Security-Policy if https serves it.',
    on: 'target',
    check({ mixed, url }) {
      if (mixed.total === 0) return undefined;
      const elements = LINK_KINDS.filter((_, kind) => mixed.kinds & (1 << kind));
      const isBlocked = (mixed.kinds & BLOCKED) !== 0;
      return {
        ...(isBlocked && { severity: 'error' as const }),
        message: `${pagesThat(mixed.total, 'load')} ${url} by http${isBlocked ? ', which browsers block' : ''}.`,
        evidence: { elements },
        sources: mixed,
      };
    },
  },
});
