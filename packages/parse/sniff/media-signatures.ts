/** Media types by the first bytes of a body. The bytes are Latin-1 characters, and `?` means any byte. */
const SIGNATURES: readonly (readonly [signature: string, type: string])[] = [
  ['%!PS-Adobe-', 'application/postscript'],
  ['\0\0\x01\0', 'image/x-icon'],
  ['\0\0\x02\0', 'image/x-icon'],
  ['BM', 'image/bmp'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF????WEBPVP', 'image/webp'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['FORM????AIFF', 'audio/aiff'],
  ['ID3', 'audio/mpeg'],
  ['OggS\0', 'application/ogg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  ['RIFF????AVI ', 'video/avi'],
  ['RIFF????WAVE', 'audio/wave'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['Rar \x1a\x07\0', 'application/x-rar-compressed'],
];

/**
 * The type of an image, audio, video, archive or PostScript body, by the tables of the MIME Sniffing Standard. Undefined: the body is of
 * another type.
 * @param head the first bytes, as Latin-1
 */
export function mediaSignature(head: string): string | undefined {
  for (const [signature, type] of SIGNATURES) if (matches(head, signature)) return type;
  if (isMp4(head)) return 'video/mp4';
  return isWebm(head) ? 'video/webm' : undefined;
}

function matches(head: string, signature: string): boolean {
  if (head.length < signature.length) return false;
  for (let i = 0; i < signature.length; i++) {
    if (signature.charAt(i) !== '?' && signature.charAt(i) !== head.charAt(i)) return false;
  }
  return true;
}

/** Whether a body begins with an `ftyp` box, and this box names a brand of MP4. */
function isMp4(head: string): boolean {
  if (head.length < 12 || head.slice(4, 8) !== 'ftyp') return false;
  const size = Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE();
  if (size > head.length || size % 4 !== 0) return false;
  if (head.startsWith('mp4', 8)) return true;
  for (let at = 16; at + 3 <= size; at += 4) if (head.startsWith('mp4', at)) return true;
  return false;
}

/** Whether a body is EBML, and its document type is `webm`. */
function isWebm(head: string): boolean {
  if (!head.startsWith('\x1a\x45\xdf\xa3')) return false;
  const at = head.slice(0, 38).indexOf('\x42\x82', 4);
  // The length of the name is before the name, and there may be padding between them.
  return at !== -1 && /^\x42\x82[^\0]{1,4}\0*webm/s.test(head.slice(at, at + 38));
}
