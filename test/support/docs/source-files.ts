import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const SOURCE_FOLDERS = ['packages', 'webtable', 'config', 'bin'];

export interface Import {
  /** As written. */
  readonly from: string;
  /** The imported file, relative to the project, if it belongs to it: `webtable/index.ts`. */
  readonly file?: string;
  readonly typesOnly: boolean;
  /** Whether it is loaded on demand, by `import()`. */
  readonly isLate: boolean;
}

export interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly ast: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** The path of every TypeScript file of the product, relative to the project. */
export function sourcePaths(): string[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => posix.join(folder, name.split(sep).join('/'))),
  ).sort();
}

/** Every TypeScript file of the product, parsed. */
export function sourceFiles(): SourceFile[] {
  return sourcePaths().map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

/** Parses a text as if it were this file. */
export function parseSource(path: string, text: string): SourceFile {
  const ast = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  visit(ast, (node) => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, isTypeImport(node.importClause));
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      const names = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : undefined;
      add(node.moduleSpecifier.text, node.isTypeOnly || (names?.every((name) => name.isTypeOnly) ?? false));
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [from] = node.arguments;
      if (from && ts.isStringLiteral(from)) add(from.text, false, true);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node.argument.literal.text, true);
    }
  });
  return { path, text, ast, imports };

  function add(from: string, typesOnly: boolean, isLate = false): void {
    const own = from.startsWith('.');
    const file = relative('.', posix.join(posix.dirname(path), from))
      .split(sep)
      .join('/');
    imports.push({ from, typesOnly, isLate, ...(own && { file: file.replace(/\.js$/, '.ts') }) });
  }
}

/** Calls `see` for a node and all below it. */
export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return !clause.name && !!names && ts.isNamedImports(names) && names.elements.every((name) => name.isTypeOnly);
}
