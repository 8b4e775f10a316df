export function pageOf(document: string): string;
export function documentOf(page: string): string;
export function copyOf(file: string): string;
export function targetOf(document: string, href: string): string | undefined;
export function siteLink(document: string, href: string): { readonly href: string; readonly isCopy: boolean };
export function filesIn(
  document: string,
  text: string,
): { readonly pictures: readonly string[]; readonly files: readonly string[] };
