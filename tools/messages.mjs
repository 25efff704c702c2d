// Lists every message that the product can print, from the sources: place, code, and text with placeholders.
// `npm run messages` prints all of them; arguments select folders: `npm run messages -- core guards/gates`.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

/** Files with names of programs and options, and with patterns: nothing in them is printed. */
const DATA = /^shell\/|^guards\/workflow\/(orders|test-output)\.ts|\.d\.ts$/;
const root = fileURLToPath(new URL('..', import.meta.url));
const api = new API({ cwd: root });
const { program } = api.updateSnapshot({ openProject: `${root}tsconfig.json` }).getProjects()[0];
const files = program
  .getSourceFileNames()
  .map((path) => ({ path, name: relative(`${root}src`, path) }))
  .filter(({ name }) => !name.startsWith('..') && !DATA.test(name))
  .toSorted((a, b) => folderOf(a.name).localeCompare(folderOf(b.name)) || a.name.localeCompare(b.name));

/** `guards/gates` for everything below it, else the first folder. */
function folderOf(name) {
  const [first, second = ''] = name.split('/');
  return ['guards', 'cli'].includes(first) && !second.endsWith('.ts') ? `${first}/${second}` : first;
}

/** The text of a string or a template, with `{name}` for inserted values; undefined for any other node. */
function textOf(node) {
  if (node.kind === SyntaxKind.StringLiteral || node.kind === SyntaxKind.NoSubstitutionTemplateLiteral)
    return node.text;
  if (node.kind !== SyntaxKind.TemplateExpression) return undefined;
  const spans = [...node.templateSpans].map(
    ({ expression, literal }) => placeholder(expression) + literal.text,
  );
  return node.head.text + spans.join('');
}

function placeholder(expression) {
  const text = expression.getText();
  return /^[\w.?]{1,30}$/.test(text) ? `{${text.split('.').at(-1)}}` : '{…}';
}

/** Sentences and phrases: text with a space and a word, unless its position shows that it is code. */
function isMessage(text, { parent, kind }) {
  if (!/\s/.test(text) || !/\p{L}{2}/u.test(text.replaceAll(/\{[^}]*\}/g, ''))) return false;
  if (/\(\?[:!]|^-[-\w, ]*(<.*>|\[.*\])?$/.test(text)) return false;
  const around = parent.getText();
  switch (parent.kind) {
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.LiteralType:
    case SyntaxKind.BinaryExpression:
      return !/[!=]==/.test(parent.operatorToken?.getText() ?? '===');
    case SyntaxKind.CaseClause:
      return false;
    case SyntaxKind.PropertyAccessExpression:
      return !around.endsWith('.split');
    case SyntaxKind.PropertyAssignment:
      return kind !== SyntaxKind.StringLiteral || parent.name.getText() !== `'${text}'`;
    case SyntaxKind.CallExpression:
      return !/(split|RegExp|includes|startsWith|endsWith|indexOf|listed|isIn)\($/.test(
        around.slice(0, around.indexOf('(') + 1),
      );
    default:
      return true;
  }
}

/** The code of a failure or diagnostic, from the `case` or `code:` around it; else the declaration's name. */
function codeOf(node) {
  for (let above = node.parent; above !== undefined; above = above.parent) {
    if (above.kind === SyntaxKind.CaseClause)
      return above.expression.getText().replaceAll(/^['"`]|['"`]$/g, '');
    const code =
      above.kind === SyntaxKind.ObjectLiteralExpression && /\bcode: '([^']+)'/.exec(above.getText())?.[1];
    if (code) return code;
    const isDeclaration = [SyntaxKind.FunctionDeclaration, SyntaxKind.MethodDeclaration].includes(above.kind);
    const isConstant =
      above.kind === SyntaxKind.VariableDeclaration && above.parent.parent.parent?.statements;
    if ((isDeclaration || isConstant) && above.name) return above.name.getText();
  }
  return '-';
}

const wanted = process.argv.slice(2);
let count = 0;
for (const { path, name } of files) {
  if (wanted.length > 0 && !wanted.some((folder) => name.startsWith(folder))) continue;
  const source = program.getSourceFile(path);
  const visit = (node) => {
    const text = textOf(node);
    if (text !== undefined && isMessage(text, node)) {
      const line = source.text.slice(0, node.getStart()).split('\n').length;
      console.log(
        `src/${name}:${line}\t${codeOf(node)}\t${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}`,
      );
      count += 1;
    }
    node.forEachChild(visit);
  };
  visit(source);
}
console.error(`${count} messages`);
api.close();
