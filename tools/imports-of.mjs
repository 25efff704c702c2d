// Reads every import out of a source file, however it is written.
import { parseSync } from 'oxc-parser';

/** Where each kind of node keeps what it imports. */
const SOURCE_OF = {
  ImportDeclaration: (node) => node.source,
  ExportNamedDeclaration: (node) => node.source,
  ExportAllDeclaration: (node) => node.source,
  ImportExpression: (node) => node.source,
  TSImportType: (node) => node.source ?? node.argument,
  TSExternalModuleReference: (node) => node.expression,
  CallExpression: (node) => (isRequire(node.callee) ? node.arguments[0] : undefined),
};

/** The imports with a literal path, in order. A file that does not parse is a bug of ours: it throws. */
export function importsOf(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const found = [];
  visit(program, (node) => {
    const source = SOURCE_OF[node.type]?.(node);
    const path = source ? literalOf(source) : undefined;
    if (path !== undefined) found.push({ line: lineAt(text, source.start), path });
  });
  return found.sort((a, b) => a.line - b.line);
}

function isRequire(callee) {
  const name = callee.type === 'MemberExpression' ? callee.object.name : callee.name;
  return name === 'require';
}

/** A string, or a template without anything to fill in. */
function literalOf(node) {
  if (node.type === 'TSLiteralType') return literalOf(node.literal);
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return typeof node.value === 'string' ? node.value : undefined;
}

function visit(node, see) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see);
  } else if (typeof node === 'object' && node !== null) {
    if (typeof node.type === 'string') see(node);
    for (const key of Object.keys(node)) visit(node[key], see);
  }
}

function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}
