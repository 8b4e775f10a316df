import { createHash } from 'node:crypto';

/** What Windows takes for a device, whatever stands behind the first dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;
/** Characters of a host's name in a file name; file systems take 255 bytes. */
const LONGEST = 200;

/**
 * The file of a host, in folders by its last labels and the first letters of what is before them, so that no folder has more
 * than a share of the hosts: `com/ex/example.com.jsonl`, `com/ex/example/ww/www.example.com.jsonl`, `ip/10/10.0.0.1.jsonl`. Names
 * are safe for every file system: what is not a small letter, digit, `-`, `_` or `.` is written as `~` and its hex code.
 * @param host as URLs spell it
 */
export function fileOfHost(host: string): string {
  const file = `${safeName(host)}.jsonl`;
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) {
    return `ip/${safeName(host.replace(/[[\]]/g, '').slice(0, 2))}/${file}`;
  }
  const [top = '', second, third] = host.split('.').reverse();
  const folders = [top];
  if (second !== undefined) folders.push(firstLetters(second));
  if (second !== undefined && third !== undefined) folders.push(second, firstLetters(third));
  return [...folders.map(safeName), file].join('/');
}

/** An international label tells nothing by its `xn--`. */
function firstLetters(label: string): string {
  return label.replace(/^xn--/, '').slice(0, 2);
}

function safeName(name: string): string {
  const safe = name.replace(/[^a-z0-9._-]/g, hex).replace(/\.$/, hex);
  if (safe === '') return '~';
  const usable = DEVICE.test(safe) ? hex(safe[0]!) + safe.slice(1) : safe;
  if (usable.length <= LONGEST) return usable;
  return `${usable.slice(0, LONGEST - 17)}~${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

function hex(character: string): string {
  return `~${character.charCodeAt(0).toString(16)}`;
}
