import { Composer, type CST, type Document, Lexer, type LineCounter, type ParsedNode, Parser } from 'yaml';

/** Deeper nesting would overflow the composer's stack, which can end the process rather than throw. */
const MAX_OPEN = 200;
/** About ten thousand lines. Beyond it reading takes seconds, not milliseconds. */
export const MAX_LEXEMES = 100_000;

export type Composed =
  | { readonly kind: 'documents'; readonly documents: readonly Document.Parsed<ParsedNode>[] }
  | { readonly kind: 'too-deep'; readonly offset: number }
  | { readonly kind: 'too-long'; readonly offset: number };

/** A YAML text as syntax trees, at most two: more than one is an error already. */
export function composeYaml(text: string, counter: LineCounter): Composed {
  const stream = new BoundedTokens(text, counter);
  const composer = new Composer({
    prettyErrors: false,
    // Keys are compared in our own walk: the library compares every key with every other.
    uniqueKeys: false,
    merge: false,
    stringKeys: true,
    resolveKnownTags: false,
  });
  const documents: Document.Parsed<ParsedNode>[] = [];
  for (const document of composer.compose(stream, true, text.length)) {
    documents.push(document);
    if (documents.length === 2) break;
  }
  return stream.exceeded ?? { kind: 'documents', documents };
}

/** The parser's tokens, which end early once the text goes beyond what a config can be. */
class BoundedTokens implements Iterable<CST.Token> {
  exceeded: Exclude<Composed, { kind: 'documents' }> | undefined;
  readonly #text: string;
  readonly #parser: Parser;

  constructor(text: string, counter: LineCounter) {
    this.#text = text;
    this.#parser = new Parser(counter.addNewLine);
    counter.addNewLine(0);
  }

  *[Symbol.iterator](): Generator<CST.Token> {
    const parser = this.#parser;
    let lexemes = 0;
    for (const lexeme of new Lexer().lex(this.#text)) {
      yield* parser.next(lexeme);
      lexemes += 1;
      if (parser.stack.length > MAX_OPEN) this.exceeded = { kind: 'too-deep', offset: parser.offset };
      if (lexemes > MAX_LEXEMES) this.exceeded = { kind: 'too-long', offset: parser.offset };
      if (this.exceeded !== undefined) return;
    }
    yield* parser.end();
  }
}
