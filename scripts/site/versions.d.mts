export function newestFirst(a: string, b: string): number;
export function listVersions(folder: string): string[];
