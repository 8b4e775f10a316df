export function brokenLinks(folder: string, base: string): string[];
