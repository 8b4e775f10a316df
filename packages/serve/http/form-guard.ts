import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Problem } from './errors.js';
import { isLoopbackName } from './host-names.js';
import type { FormRequest, Request } from './request.js';

/** Who may change something by the pages: nobody, who asks on this machine, or all who reach the server. */
export type WhoMayChange = 'none' | 'local' | 'all';

/** What a form needs to be taken. */
export interface FormPass {
  readonly token: string;
  /** Of the page that the form is on. */
  readonly headers: OutgoingHttpHeaders;
}

/** What {@link createFormGuard} takes. */
export interface FormGuardOptions {
  readonly changes: WhoMayChange;
  /** The address that the server listens on. */
  readonly address: string;
  /** Names that it answers to beside addresses and `localhost`. */
  readonly names: readonly string[];
}

/** As {@link createFormGuard} makes it. */
export type FormGuard = ReturnType<typeof createFormGuard>;

/** Headers by which a proxy says for whom it asks. */
const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const;

const ELSEWHERE = 'Rules are changed here only by who asks on the machine itself';

/**
 * Decides whose forms are taken. A page of somebody else may make a browser send a form here, so a form is taken only from a page of ours:
 * by the `Origin` that the browser says, and by a token that is on the page and made for a cookie of the same browser. Key and cookie
 * are those of one start of the server.
 */
export function createFormGuard({ changes, address, names }: FormGuardOptions) {
  const key = randomBytes(32);
  // Cookies go to all ports of a host: that of another server is another one.
  const cookie = `webcrawl-${randomBytes(4).toString('hex')}`;
  const isOwn = new RegExp(`(?:^|;\\s*)${cookie}=([0-9a-f]{32})(?:;|$)`);
  const tokenFor = (secret: string): string => createHmac('sha256', key).update(secret).digest('base64url');
  const secretOf = ({ headers }: Request): string | undefined => isOwn.exec(headers.cookie ?? '')?.[1];

  /** Why who asks may change nothing, as a sentence for people; undefined where he may. */
  function whyNot({ headers, remoteAddress }: Request): string | undefined {
    if (changes === 'all') return undefined;
    if (changes === 'none') return 'This server only shows the rules: it was started with --changes none.';
    if (!isLoopback(address)) return `${ELSEWHERE}, and this server listens beyond it.`;
    // A proxy on this machine asks for anybody.
    const isProxied = names.length > 0 || FORWARDED.some((name) => headers[name] !== undefined);
    if (isProxied) return `${ELSEWHERE}, and this server is behind a proxy.`;
    return isLoopback(remoteAddress ?? '') && isLoopbackName(headers.host) ? undefined : `${ELSEWHERE}.`;
  }

  return {
    whyNot,

    /** What the forms of a page need, for who asks for the page. */
    passFor(request: Request): FormPass {
      const known = secretOf(request);
      const secret = known ?? randomBytes(16).toString('hex');
      const secure = request.origin.startsWith('https:') ? '; Secure' : '';
      return {
        token: tokenFor(secret),
        headers: {
          // Without it a browser says `null` as the origin of a form.
          'referrer-policy': 'same-origin',
          ...(known === undefined && {
            'set-cookie': `${cookie}=${secret}; Path=/rules; HttpOnly; SameSite=Strict${secure}`,
          }),
        },
      };
    },

    /** What is wrong with a form that was sent; undefined: it may be done what it says. */
    problemOf(request: FormRequest): Problem | undefined {
      const reason = whyNot(request);
      if (reason !== undefined) return forbidden(reason, 'webcrawl serve --help says how others may, under --changes');
      const { origin, headers, form } = request;
      const site = headers['sec-fetch-site'];
      if (headers.origin !== origin || (site !== undefined && site !== 'same-origin')) {
        return forbidden(
          'A change is taken only from a page of this server.',
          'open the page of the rules, and press there',
        );
      }
      const secret = secretOf(request);
      const token = form.get('token') ?? '';
      if (secret === undefined || !isSame(token, tokenFor(secret))) {
        return forbidden(
          'The page was of an earlier start of this server, or cookies are not kept.',
          'load the page of the rules anew, and press again',
        );
      }
      return undefined;
    },
  };
}

function forbidden(message: string, hint: string): Problem {
  return { status: 403, code: 'FORBIDDEN', message, hint };
}

/** In a time that says nothing of how much is the same. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1' || plain === 'localhost';
}
