import ts from 'typescript';

/** One import of a file: a static or dynamic import, a re-export, a require or an import type. */
export interface Import {
  specifier: string;
  line: number;
  /** Erased by the compiler, so that it brings no code along. */
  isType: boolean;
}

/** What the rules look at in one file. */
export interface FileFacts {
  /** From the repository's root, with forward slashes. */
  path: string;
  imports: Import[];
  /** `use client`, `use server`: the directives at the top. */
  directives: string[];
  /** Lines that read `process.env`, however it is spelt. */
  environmentReads: number[];
  /** Lines with SQL: a template tagged `sql`, or a call of `unsafe`. */
  sqlLines: number[];
  /** Lines that take the time, a random value, a timer or the network from the surroundings. */
  impureLines: number[];
}

/** Reads the facts of a file by the compiler's own parser. */
export function factsOf(path: string, text: string): FileFacts {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const facts: FileFacts = {
    path,
    imports: [],
    directives: directivesOf(source),
    environmentReads: [],
    sqlLines: [],
    impureLines: [],
  };
  const lineOf = (node: ts.Node) =>
    source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const visit = (node: ts.Node): void => {
    const found = importOf(node);
    if (found !== undefined) facts.imports.push({ ...found, line: lineOf(node) });
    if (readsEnvironment(node)) facts.environmentReads.push(lineOf(node));
    if (holdsSql(node)) facts.sqlLines.push(lineOf(node));
    if (isImpure(node)) facts.impureLines.push(lineOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return facts;
}

function directivesOf(source: ts.SourceFile): string[] {
  const directives: string[] = [];
  for (const statement of source.statements) {
    if (!ts.isExpressionStatement(statement) || !ts.isStringLiteral(statement.expression)) break;
    directives.push(statement.expression.text);
  }
  return directives;
}

function importOf(node: ts.Node): Omit<Import, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, isTypeImport(node));
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    return named(node.moduleReference.expression, node.isTypeOnly);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return named(node.argument.literal, true);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
  return isImport || isRequire ? named(node.arguments[0], false) : undefined;
}

function named(specifier: ts.Node | undefined, isType: boolean) {
  return specifier !== undefined && ts.isStringLiteralLike(specifier)
    ? { specifier: specifier.text, isType }
    : undefined;
}

/** `import type …`, and `import { type A, type B }`, which brings no code along either. */
function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.isTypeOnly) return true;
  const bindings = importClause.namedBindings;
  if (importClause.name !== undefined || bindings === undefined) return false;
  if (!ts.isNamedImports(bindings) || bindings.elements.length === 0) return false;
  return bindings.elements.every((element) => element.isTypeOnly);
}

const isNamed = (node: ts.Node, name: string) => ts.isIdentifier(node) && node.text === name;

/** `process.env`, `process['env']`, `const { env } = process`, `import { env } from 'process'`. */
function readsEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return node.name.text === 'env' && endsInProcess(node.expression);
  }
  if (ts.isElementAccessExpression(node)) {
    const { argumentExpression: key } = node;
    return ts.isStringLiteralLike(key) && key.text === 'env' && endsInProcess(node.expression);
  }
  if (ts.isVariableDeclaration(node) && node.initializer !== undefined) {
    return ts.isObjectBindingPattern(node.name) && isNamed(node.initializer, 'process');
  }
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return false;
  return /^(node:)?process$/.test(node.moduleSpecifier.text);
}

/** `process` and `globalThis.process`. */
function endsInProcess(node: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'process';
  return isNamed(node, 'process');
}

function holdsSql(node: ts.Node): boolean {
  if (ts.isTaggedTemplateExpression(node)) {
    const { tag } = node;
    return isNamed(tag, 'sql') || (ts.isPropertyAccessExpression(tag) && tag.name.text === 'sql');
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  const isOfSql =
    isNamed(expression, 'sql') ||
    (ts.isPropertyAccessExpression(expression) && expression.name.text === 'sql');
  return isOfSql && ['unsafe', 'file', 'begin'].includes(name.text);
}

const IMPURE_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Date: ['now'],
  Math: ['random'],
  performance: ['now'],
  crypto: ['randomUUID', 'getRandomValues'],
};
const IMPURE_FUNCTIONS = ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const IMPURE_IMPORTS = ['randomBytes', 'randomUUID', 'randomInt', 'randomFillSync', 'webcrypto'];

function isImpure(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    return IMPURE_MEMBERS[node.expression.text]?.includes(node.name.text) === true;
  }
  if (ts.isNewExpression(node)) {
    return isNamed(node.expression, 'Date') && (node.arguments?.length ?? 0) === 0;
  }
  if (ts.isImportSpecifier(node)) {
    return IMPURE_IMPORTS.includes((node.propertyName ?? node.name).text);
  }
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return false;
  return [...IMPURE_FUNCTIONS, 'Date'].includes(node.expression.text);
}
