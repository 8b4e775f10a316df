import { Parser, Token, TokenizerMode, type DefaultTreeAdapterMap } from 'parse5';

/**
 * A parser for XHTML. It has the rules of HTML with one exception, which comes from XML: an element may close itself. So the page
 * continues after `<script/>` or `<title/>`. With all rules of XML, many pages would end at their first error.
 */
export class XhtmlRules extends Parser<DefaultTreeAdapterMap> {
  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (!token.selfClosing || token.ackSelfClosing) return;
    this.tokenizer.state = TokenizerMode.DATA;
    this.onEndTag({ ...token, type: Token.TokenType.END_TAG, attrs: [], selfClosing: false });
  }
}

/** Turns CDATA sections into plain text, because in HTML they would be comments. A section without an end stays unchanged. */
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
