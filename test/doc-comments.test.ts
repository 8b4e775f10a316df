import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { ROOT } from './support/docs/source-files.js';

const DOOR = join(ROOT, 'packages/webcrawl/index.ts');

/** Where a name of the public API has no doc comment: functions and types, and the callable members of both. */
function undocumented(door: string): { missing: string[]; exports: number } {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const program = ts.createProgram([door], options);
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
      // A namespace object such as `jobs`: its functions are public as well.
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

test('everything that packages/webcrawl exports has a doc comment', () => {
  expect(existsSync(DOOR), 'packages/webcrawl/index.ts is missing').toBe(true);
  const { missing, exports } = undocumented(DOOR);
  expect(exports).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});
