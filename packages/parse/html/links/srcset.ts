/** Returns the URLs of a `srcset` attribute in order, as written; at most `limit`. The attribute is parsed as in the HTML Standard. */
export function srcsetUrls(srcset: string, limit: number): string[] {
  const urls: string[] = [];
  let at = 0;
  while (urls.length < limit) {
    while (/[\t\n\f\r ,]/.test(srcset.charAt(at))) at++;
    const start = at;
    while (at < srcset.length && !/[\t\n\f\r ]/.test(srcset.charAt(at))) at++;
    if (at === start) break;
    const url = withoutCommas(srcset.slice(start, at));
    urls.push(url);
    // If a comma directly follows the URL, this entry of the list ends. Otherwise descriptors follow.
    if (url.length === at - start) at = endOfDescriptors(srcset, at);
  }
  return urls;
}

function withoutCommas(url: string): string {
  let end = url.length;
  while (url.charAt(end - 1) === ',') end--;
  return url.slice(0, end);
}

/** Returns the end of the descriptors. A comma in parentheses is part of a descriptor. */
function endOfDescriptors(srcset: string, from: number): number {
  let inside = false;
  for (let at = from; at < srcset.length; at++) {
    const c = srcset.charAt(at);
    if (c === '(') inside = true;
    else if (c === ')') inside = false;
    else if (c === ',' && !inside) return at + 1;
  }
  return srcset.length;
}
