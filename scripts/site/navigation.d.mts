export const HOME: string;
export const SECTIONS: readonly {
  readonly text: string;
  readonly pages: readonly { readonly text: string; readonly file: string }[];
}[];
export const DOCUMENTS: readonly string[];
