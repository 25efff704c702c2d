import { type Document, isCollection, isMap, isScalar, type ParsedNode, visit, type YAMLError } from 'yaml';

/** A bracket or a quote, where it stands, and up to where everything was taken for a part of it. */
interface Opened {
  readonly sign: string;
  readonly start: number;
  readonly end: number;
}

const OPENED_BY: Readonly<Record<string, string>> = { '}': '{', ']': '[', '"': '"', "'": "'" };

/** What was opened and has no end, where an error says just that: the library points only at where it gave up. */
export function unclosedBy(error: YAMLError, document: Document.Parsed<ParsedNode>): Opened | undefined {
  const sign = signOf(error);
  if (sign === undefined) return undefined;
  const [end] = error.pos;
  const opened = openedIn(document.contents).filter((one) => one.sign === sign && one.end === end);
  // Of brackets that end at one place the inner ones may be closed; the errors go from the inside outwards.
  const alike = document.errors.filter((other) => signOf(other) === sign && other.pos[0] === end);
  return opened[alike.length - 1 - alike.indexOf(error as (typeof alike)[number])];
}

function signOf({ message }: YAMLError): string | undefined {
  const [, bracket, quote] = /end with a ([}\]])$|^Missing closing (["'])quote$/.exec(message) ?? [];
  return OPENED_BY[bracket ?? quote ?? ''];
}

/** The outer ones first. */
function openedIn(contents: ParsedNode | null): Opened[] {
  const found: Opened[] = [];
  visit(contents, {
    Node: (_, node) => {
      const sign = openingSign(node);
      const [start, end] = node.range ?? [];
      if (sign !== undefined && start !== undefined && end !== undefined) found.push({ sign, start, end });
    },
  });
  return found;
}

function openingSign(node: unknown): string | undefined {
  if (isCollection(node)) return node.flow === true ? (isMap(node) ? '{' : '[') : undefined;
  if (!isScalar(node)) return undefined;
  return node.type === 'QUOTE_DOUBLE' ? '"' : node.type === 'QUOTE_SINGLE' ? "'" : undefined;
}
