import { join, relative } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { ROOT } from './support/docs/source-files.js';

/** The source files of the exports of `package.json`, the root first. */
const DOORS = Object.values(packageJson.exports).flatMap((door) =>
  typeof door === 'string' ? [] : [join(ROOT, door.types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts'))],
);
/** Maximum number of names that the root exports. */
const MOST_NAMES = 120;

/**
 * The types of this project that signatures of exported names use, but that are not exported: a user could not write down the
 * type of an argument or a result.
 */
function unexported(program: ts.Program, doors: readonly string[]): string[] {
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exportsOf = (file: string): ts.Symbol[] =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!).map(resolve);
  const known = new Set(doors.flatMap(exportsOf));
  const missing = new Set<string>();
  const seen = new Set<ts.Node>();

  /** Reads what would be in a .d.ts file, not the bodies of functions. */
  function look(node: ts.Node, from: string): void {
    if (seen.has(node)) return;
    seen.add(node);
    if (ts.isBlock(node) || isPrivate(node)) return;
    if (ts.isTypeReferenceNode(node)) reach(checker.getSymbolAtLocation(node.typeName), from);
    else if (ts.isExpressionWithTypeArguments(node)) reach(checker.getSymbolAtLocation(node.expression), from);
    else if (ts.isTypeQueryNode(node)) reach(checker.getSymbolAtLocation(node.exprName), from);
    const untyped = (ts.isVariableDeclaration(node) || ts.isFunctionLike(node)) && !node.type;
    if (untyped) lookAtType(checker.getTypeAtLocation(node), from);
    if (ts.isVariableDeclaration(node)) return node.type && look(node.type, from);
    ts.forEachChild(node, (child) => look(child, from));
  }

  /** For a declaration without a written type. */
  function lookAtType(type: ts.Type, from: string): void {
    for (const symbol of [type.aliasSymbol, type.getSymbol()]) if (symbol) reach(symbol, from);
    for (const { declaration } of type.getCallSignatures()) {
      if (declaration && isOurs(declaration)) look(declaration, from);
    }
    for (const property of checker.getPropertiesOfType(type)) {
      for (const declaration of property.declarations ?? []) if (isOurs(declaration)) look(declaration, from);
    }
  }

  function reach(found: ts.Symbol | undefined, from: string): void {
    if (!found) return;
    const symbol = resolve(found);
    const declarations = (symbol.declarations ?? []).filter(isOurs);
    const named = declarations.filter(
      (declaration) =>
        ts.isInterfaceDeclaration(declaration) ||
        ts.isTypeAliasDeclaration(declaration) ||
        ts.isClassDeclaration(declaration),
    );
    if (named.length > 0 && !known.has(symbol)) missing.add(`${symbol.name}, which ${from} names`);
    if (!known.has(symbol)) for (const declaration of named) look(declaration, symbol.name);
  }

  for (const symbol of known) {
    for (const declaration of symbol.declarations ?? []) if (isOurs(declaration)) look(declaration, symbol.name);
  }
  return [...missing].sort();
}

function isOurs(declaration: ts.Node): boolean {
  const { fileName } = declaration.getSourceFile();
  return !fileName.includes('node_modules') && !ts.isTypeParameterDeclaration(declaration);
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  if (node.name && ts.isPrivateIdentifier(node.name)) return true;
  return (
    ts.canHaveModifiers(node) &&
    Boolean(ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword))
  );
}

function programOf(...files: string[]): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  // The large declarations of packages whose types no export has.
  const isUnused = (file: string): boolean => /node_modules\/@(?:aws-sdk|smithy|opensearch-project)\//.test(file);
  host.fileExists = (file) => !isUnused(file) && ts.sys.fileExists(file);
  return ts.createProgram(files, options, host);
}

/** Names of the public API without a doc comment: functions and types, and their callable members. */
function undocumented(program: ts.Program, door: string): { missing: string[]; exports: number } {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(door);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) return { missing: [`${door} exports nothing`], exports: 0 };

  const missing: string[] = [];
  const exports = checker.getExportsOfModule(module);
  for (const exported of exports) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    require(symbol, exported.name);
    if (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) {
      for (const member of symbol.members?.values() ?? []) {
        if (member.flags & ts.SymbolFlags.Method && !memberName(member).startsWith('#')) {
          require(member, `${exported.name}.${memberName(member)}`);
        }
      }
    } else if (symbol.flags & ts.SymbolFlags.Variable && symbol.valueDeclaration) {
      // In a namespace object such as `jobs`, the functions are public as well.
      for (const member of checker.getTypeOfSymbolAtLocation(symbol, symbol.valueDeclaration).getProperties()) {
        const declared = member.valueDeclaration;
        const ours = declared && !declared.getSourceFile().fileName.includes('node_modules');
        if (!ours) continue;
        const type = checker.getTypeOfSymbolAtLocation(member, declared);
        if (type.getCallSignatures().length === 0) continue;
        const signature = type.getCallSignatures()[0];
        const documented = signature && ts.displayPartsToString(signature.getDocumentationComment(checker)) !== '';
        if (!documented) require(member, `${exported.name}.${member.name}`);
      }
    }
  }
  return { missing, exports: exports.length };

  function require(symbol: ts.Symbol, name: string): void {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
    const tags = symbol.getJsDocTags(checker);
    if (text !== '' || tags.length > 0) return;
    const at = symbol.declarations?.[0];
    const file = at?.getSourceFile();
    if (file?.fileName.includes('node_modules')) return;
    const line = file ? file.getLineAndCharacterOfPosition(at?.getStart() ?? 0).line + 1 : 0;
    missing.push(`${name} (${file ? relative(ROOT, file.fileName) : '?'}:${line})`);
  }
}

function memberName({ name, declarations }: ts.Symbol): string {
  return (declarations?.[0] as ts.ClassElement | undefined)?.name?.getText() ?? name;
}

let program: ts.Program;
beforeAll(() => {
  program = programOf(...DOORS);
});

test('every type in an exported signature is exported from some door', () => {
  expect(unexported(program, DOORS)).toEqual([]);
});

test('the test finds a type that is not exported', () => {
  const door = join(ROOT, 'packages/jobs/parsing/parse-page.ts');
  expect(unexported(program, [door])).toContain('ScopedCrawl, which ParseContext names');
});

test('every export has a doc comment', () => {
  for (const door of DOORS) {
    const { missing, exports } = undocumented(program, door);
    expect(exports, door).toBeGreaterThan(0);
    expect(missing, door).toEqual([]);
  }
});

test(`the root exports at most ${MOST_NAMES} names`, () => {
  expect(undocumented(program, DOORS[0]!).exports).toBeLessThanOrEqual(MOST_NAMES);
});
