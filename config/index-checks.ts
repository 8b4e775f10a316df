import { isIP } from 'node:net';
import { tryDecode, tryParseUrl } from '../packages/url/index.js';

/** A valid name of an OpenSearch index, at most 255 bytes. */
const INDEX_NAME = /^(?!\.{1,2}$)[^-_+\\/*?"<>|\s,#:A-Z][^\\/*?"<>|\s,#:A-Z]{0,254}$/u;

export function indexUrlProblem(text: string): string | undefined {
  const url = tryParseUrl(text);
  const last = url?.pathname.split('/').findLast((part) => part !== '') ?? '';
  const isRight = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  const [name = '', ...login] = [last, url?.username ?? '', url?.password ?? ''].map(tryDecode);
  return isRight && !login.includes(undefined) && INDEX_NAME.test(name) && Buffer.byteLength(name) <= 255
    ? undefined
    : 'the URL of an index of OpenSearch with its name in lower case, like https://user:password@localhost:9200/pages';
}

export function siteLinksProblem(links: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(links);
  const isRight = ([text, to]: readonly [string, string]): boolean =>
    text.trim() !== '' &&
    text.length <= 40 &&
    (/^\/(?![/\\])/.test(to) || /^https?:$/.test(tryParseUrl(to)?.protocol ?? ''));
  return entries.length <= 8 && entries.every(isRight)
    ? undefined
    : 'at most 8 links, each a string of at most 40 characters with a URL (http or https) or a path that begins with /';
}

export function addressRangesProblem(ranges: readonly string[]): string | undefined {
  const isRight = ranges.every((range) => {
    const [address = '', bits = '0', ...rest] = range.split('/');
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  });
  return isRight ? undefined : 'addresses such as 10.0.0.7, or ranges such as 10.0.0.0/8';
}

export function originsProblem(origins: readonly string[]): string | undefined {
  const isRight = origins.every(
    (origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin) && tryParseUrl(origin)?.origin === origin,
  );
  return isRight
    ? undefined
    : 'origins as browsers send them, such as https://www.example.com or http://localhost:3000: no path, no *, no null';
}
