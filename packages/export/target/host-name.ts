import { createHash } from 'node:crypto';

/** Names of devices on Windows. Only the part before the first dot counts. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

export function isDevice(name: string): boolean {
  return DEVICE.test(name);
}

/** File systems allow 255 bytes in the name of a file. */
const MAX_HOST_CHARACTERS = 200;

/**
 * Returns the file name of a host. The names of its folders are the last labels of the host, and the first letters of the label before
 * them. So the files of many hosts are in many folders: `com/ex/example.com.jsonl`, `com/ex/example/ww/www.example.com.jsonl`,
 * `ip/10/10.0.0.1.jsonl`. Names are safe on every file system: characters other than small letters, digits, `-`, `_` and `.` are written as
 * `~` and a hex code.
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

/**
 * Returns the first letters of a label. In an international label these are the letters after `xn--`, because all such labels share this
 * prefix.
 */
function firstLetters(label: string): string {
  return label.replace(/^xn--/, '').slice(0, 2);
}

/** A name that is valid on every file system, made of small letters, digits, `-`, `_`, `.` and `~`. */
export function safeName(name: string): string {
  const safe = name.replace(/[^a-z0-9._-]/g, hex).replace(/\.$/, hex);
  if (safe === '') return '~';
  const usable = isDevice(safe) ? hex(safe[0]!) + safe.slice(1) : safe;
  if (usable.length <= MAX_HOST_CHARACTERS) return usable;
  return `${usable.slice(0, MAX_HOST_CHARACTERS - 17)}~${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

function hex(character: string): string {
  return `~${character.charCodeAt(0).toString(16)}`;
}
