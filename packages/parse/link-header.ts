/** The target of the first `rel=canonical` in a `Link` header (RFC 8288), as it stands there. */
export function canonicalInHeader(header: string | undefined): string | undefined {
  for (let open = header?.indexOf('<') ?? -1; header !== undefined && open !== -1;) {
    const close = header.indexOf('>', open);
    if (close === -1) return undefined;
    const end = endOfParameters(header, close + 1);
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(header.slice(close + 1, end));
    const names = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('canonical')) return header.slice(open + 1, close);
    open = header.indexOf('<', end);
  }
  return undefined;
}

/** Where the next link begins: the comma that is not within quotes. */
function endOfParameters(header: string, from: number): number {
  let quoted = false;
  for (let at = from; at < header.length; at++) {
    const c = header.charAt(at);
    if (c === '\\' && quoted) at++;
    else if (c === '"') quoted = !quoted;
    else if (c === ',' && !quoted) return at;
  }
  return header.length;
}
