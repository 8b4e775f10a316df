/** A list of texts without white space in them, written without quotes and commas; a backslash stands for itself. */
export const words = ({ raw }: TemplateStringsArray): string[] => raw.join('').trim().split(/\s+/);
