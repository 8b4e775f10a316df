import { Parser, Token, TokenizerMode, type DefaultTreeAdapterMap } from 'parse5';

/**
 * The rules of HTML, but an element that closes itself is closed, as XML has it: after `<script/>` or `<title/>` the
 * page goes on. Rules of XML proper would end many a page at its first fault.
 */
export class XhtmlRules extends Parser<DefaultTreeAdapterMap> {
  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (!token.selfClosing || token.ackSelfClosing) return;
    this.tokenizer.state = TokenizerMode.DATA;
    this.onEndTag({ ...token, type: Token.TokenType.END_TAG, attrs: [], selfClosing: false });
  }
}

/** Makes plain text of CDATA sections, which HTML takes for comments. One without end stays as it is. */
export function withoutCdata(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('<![CDATA[', from);
    const close = open === -1 ? -1 : text.indexOf(']]>', open);
    if (close === -1) return parts.join('') + text.slice(from);
    const inside = text.slice(open + 9, close);
    parts.push(text.slice(from, open), inside.replace(/&/g, '&amp;').replace(/</g, '&lt;'));
    from = close + 3;
  }
}
