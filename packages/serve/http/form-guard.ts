import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Problem } from './errors.js';
import { isLoopbackName } from './host-names.js';
import type { FormRequest, Request } from './request.js';

/** Who may change rules on the pages: no one, users of this machine, or everyone who can reach the server. */
export type WriteAccess = 'none' | 'local' | 'all';

interface FormPass {
  readonly token: string;
  readonly headers: OutgoingHttpHeaders;
}

type Asker = Pick<Request, 'headers' | 'remoteAddress'>;

interface FormGuardOptions {
  readonly changes: WriteAccess;
  readonly address: string;
  /** Host names that the server accepts, in addition to addresses and `localhost`. */
  readonly names: readonly string[];
}

export type FormGuard = ReturnType<typeof createFormGuard>;

const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const;

const ELSEWHERE = 'Only users of this machine can change rules here';

/**
 * Decides which forms are accepted. A page of another site may make a browser send a form to this server. So a form is accepted only if it
 * comes from a page of this server. The browser must send the right `Origin`, its cookie, and the token of the page, which was made from
 * this cookie. Each start of the server uses a new key and a new name of the cookie.
 */
export function createFormGuard({ changes, address, names }: FormGuardOptions) {
  const key = randomBytes(32);
  // A browser sends a cookie to all ports of a host, so each server uses a different name for its cookie.
  const cookie = `webcrawl-${randomBytes(4).toString('hex')}`;
  const isOwn = new RegExp(`(?:^|;\\s*)${cookie}=([0-9a-f]{32})(?:;|$)`);
  const tokenFor = (secret: string): string => createHmac('sha256', key).update(secret).digest('base64url');
  const secretOf = ({ headers }: Request): string | undefined => isOwn.exec(headers.cookie ?? '')?.[1];

  /** Returns why the sender may not change rules, as a sentence for people. Undefined: the sender may change rules. */
  function whyNot(request: Asker): string | undefined {
    if (changes === 'all') return undefined;
    if (changes === 'none') return 'This server shows the rules, but does not allow changes.';
    return whyNotLocal(request);
  }

  function whyNotLocal({ headers, remoteAddress }: Asker): string | undefined {
    if (!isLoopback(address)) return `${ELSEWHERE}, and this server listens on other addresses too.`;
    // A proxy on this machine forwards requests from everywhere. So the address of a proxy does not show that the sender is on this machine.
    const isProxied = names.length > 0 || FORWARDED.some((name) => headers[name] !== undefined);
    if (isProxied) return `${ELSEWHERE}, and this server is behind a proxy.`;
    return isLoopback(remoteAddress ?? '') && isLoopbackName(headers.host) ? undefined : `${ELSEWHERE}.`;
  }

  return {
    whyNot,

    /** Whether the sender is treated as the operator: a user of this machine, or anyone if everyone may change rules. */
    isLocal: (asker: Asker): boolean => changes === 'all' || whyNotLocal(asker) === undefined,

    passFor(request: Request): FormPass {
      const known = secretOf(request);
      const secret = known ?? randomBytes(16).toString('hex');
      const secure = request.origin.startsWith('https:') ? '; Secure' : '';
      return {
        token: tokenFor(secret),
        headers: {
          // Without this header browsers send `null` as the origin of a form.
          'referrer-policy': 'same-origin',
          ...(known === undefined && {
            'set-cookie': `${cookie}=${secret}; Path=/rules; HttpOnly; SameSite=Strict${secure}`,
          }),
        },
      };
    },

    problemOf(request: FormRequest): Problem | undefined {
      const reason = whyNot(request);
      if (reason !== undefined)
        return forbidden(reason, 'webcrawl serve --help explains how to allow others, under --changes');
      const { origin, headers, form } = request;
      const site = headers['sec-fetch-site'];
      if (headers.origin !== origin || (site !== undefined && site !== 'same-origin')) {
        return forbidden(
          'A change is accepted only from a page of this server.',
          'open the page of the rules, and use the button there',
        );
      }
      const secret = secretOf(request);
      const token = form.get('token') ?? '';
      if (secret === undefined || !isSame(token, tokenFor(secret))) {
        return forbidden(
          'The page is from an earlier start of this server, or the browser keeps no cookies.',
          'load the page of the rules again, and use the button again',
        );
      }
      return undefined;
    },
  };
}

function forbidden(message: string, hint: string): Problem {
  return { status: 403, code: 'FORBIDDEN', message, hint };
}

/** Compares two texts in constant time. So the time does not show how many characters are equal. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1' || plain === 'localhost';
}
