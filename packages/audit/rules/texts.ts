import { safeText } from '../../core/index.js';
import type { Found, Target } from '../rule.js';

export function endingText({ http, ending, response }: Target): string {
  if (http > 0) return `returns ${http}`;
  const code = response?.code ?? ending?.code ?? 'nothing';
  return `fails (${safeText(code, 40)})`;
}

/** Returns `1 page links`, `3 pages link`. */
export function pagesThat(n: number, verb = 'link'): string {
  return n === 1 ? `1 page ${verb}s` : `${n.toLocaleString('en-US')} pages ${verb}`;
}

export function timesOf(
  target: Target,
  changedAt: number,
  requestedAt: number,
): Pick<Found, 'since' | 'lastOkAt' | 'lastRequestAt'> {
  const { response, ending } = target;
  const lastOkAt = response?.lastOkAt ?? ending?.lastOkAt;
  return {
    since: response?.since ?? ending?.since ?? changedAt,
    ...(lastOkAt !== undefined && { lastOkAt }),
    lastRequestAt: Math.max(response?.at ?? 0, requestedAt),
  };
}

export function evidenceOf({ http, ending, response }: Target): Record<string, string | number> {
  const code = response?.code ?? ending?.code;
  const message = ending?.message;
  return {
    ...(http > 0 && { status: http }),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message: safeText(message, 200) }),
    ...(ending?.tries !== undefined && { tries: ending.tries }),
  };
}
