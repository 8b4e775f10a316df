import { Parser } from 'htmlparser2';
import { TextBuilder } from '../shared/text-builder.js';

const CODE = /^(?:script|style)$/;
const INLINE = /^(?:a|abbr|b|bdi|bdo|cite|code|em|font|i|mark|q|s|small|span|strong|sub|sup|u|wbr)$/;

/** The text of a short piece of HTML, as feeds quote it, in at most `limit` characters. */
export function plainText(markup: string, limit: number): string {
  const text = new TextBuilder(limit);
  let inCode = false;
  const parser = new Parser({
    onopentagname(name) {
      if (CODE.test(name)) inCode = true;
      if (!INLINE.test(name)) text.breakWord();
    },
    ontext(value) {
      if (!inCode) text.add(value);
    },
    onclosetag(name) {
      if (CODE.test(name)) inCode = false;
      if (!INLINE.test(name)) text.breakWord();
    },
  });
  parser.end(markup);
  return text.toString();
}
