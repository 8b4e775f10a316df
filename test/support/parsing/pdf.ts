import { deflateSync } from 'node:zlib';

/** A stream object; `dict` without `Length`. */
export interface PdfStream {
  readonly dict?: string;
  readonly data: string | Uint8Array;
}

/** A PDF of numbered objects (the first is 1, and the catalog), with additional trailer entries. */
export function pdf(objects: readonly (string | PdfStream)[], trailer = ''): Buffer {
  let size = 0;
  const parts: Buffer[] = [];
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part);
    parts.push(bytes);
    size += bytes.length;
  };
  add('%PDF-1.7\n');
  const offsets = objects.map((object, i) => {
    const at = size;
    add(`${i + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      add(`<</Length ${object.data.length} ${object.dict ?? ''}>>\nstream\n`);
      add(object.data);
      add('\nendstream');
    }
    add('\nendobj\n');
    return at;
  });
  const start = size;
  const entries = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`);
  add(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R ${trailer}>>\nstartxref\n${start}\n%%EOF`);
  return Buffer.concat(parts);
}

export const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';

/** One page of text from object 3 on. Further objects begin with 6; resources and page may refer to them. */
export function onePage(
  content: string | PdfStream,
  { page = '', resources = '', catalog = '', more = [] as readonly (string | PdfStream)[], trailer = '' } = {},
): Buffer {
  return pdf(
    [
      `<</Type/Catalog/Pages 2 0 R ${catalog}>>`,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>${resources}>>${page}>>`,
      typeof content === 'string' ? { data: content } : content,
      FONT,
      ...more,
    ],
    trailer,
  );
}

/** Pages with these contents, with Helvetica as G, and as F the first of `fonts`; in the first, `0 R` is the second. */
export function pages(contents: readonly string[], fonts: readonly (string | PdfStream)[] = [FONT]): Buffer {
  const first = 4 + 2 * contents.length;
  const kids = contents.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  return pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${contents.length}/MediaBox[0 0 600 800]/Resources<</Font<</F ${first} 0 R/G 3 0 R>>>>>>`,
    FONT,
    ...contents.flatMap((data, i) => [`<</Type/Page/Parent 2 0 R/Contents ${5 + 2 * i} 0 R>>`, { data }]),
    ...fonts.map((font) => (typeof font === 'string' ? font.replace(' 0 R', ` ${first + 1} 0 R`) : font)),
  ]);
}

/** A font that is not embedded. Its codes are mapped to characters of this ordering by the map with this name. */
export function mappedFont(encoding: string, ordering: string): string[] {
  return [
    `<</Type/Font/Subtype/Type0/BaseFont/X-${encoding}/Encoding/${encoding}/DescendantFonts[ 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 93>>/DW 1000>>`,
  ];
}

/** Operators that show lines of text, one below the other. */
export function shown(...lines: string[]): string {
  return `BT /F 12 Tf 15 TL 10 700 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
}

/** A stream that unpacks to this number of MiB of blanks, compressed several times. */
export function packedBlanks(mebibytes: number, times: number): PdfStream {
  let data: Uint8Array = Buffer.alloc(mebibytes * 1_048_576, ' ');
  for (let i = 0; i < times; i++) data = deflateSync(data, { level: 9 });
  return { dict: `/Filter[${'/FlateDecode'.repeat(times)}]`, data };
}
