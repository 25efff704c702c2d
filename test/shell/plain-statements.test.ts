import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type SyntaxNode, type Word } from 'unbash';
import { describe, expect, test } from 'vitest';
import { plainStatements } from '../../src/shell/plain-statements';

/** What counts of a syntax tree: its words and how they are chained. */
function outline(node: SyntaxNode | Word): unknown {
  switch (node.type) {
    case 'Statement':
      return node.background ? { background: outline(node.command) } : outline(node.command);
    case 'AndOr':
    case 'Pipeline':
      return { type: node.type, commands: node.commands.map(outline), operators: node.operators };
    case 'Command':
      return { words: [node.name, ...node.args].map((word) => wordIn(word)), at: [node.pos, ...ends(node)] };
    default:
      return { type: node.type };
  }
}

/** Output that goes nowhere is left out of a plain line, and with it of the command's span. */
function ends(node: Extract<SyntaxNode, { type: 'Command' }>): readonly number[] {
  return node.redirects.length > 0 ? [] : [node.end];
}

function wordIn(word: unknown): unknown {
  const { type, text, value } = word as Word;
  if (type !== 'Word') return text.replace(/['"]/g, '');
  return text.includes('$(cat') ? text : value;
}

const CORPORA = [join(import.meta.dirname, 'corpus'), join(import.meta.dirname, '../guards/workflow/corpus')];

const LINES = CORPORA.flatMap((folder) =>
  readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')),
).map((line) => line.replace(/^(?:\$ |(?:(?:allow|deny|ask|test|none)\s+){1,2})/, '').replaceAll('⏎', '\n'));

describe('a plain line is read as the parser reads it', () => {
  const plain = LINES.flatMap((line) => {
    const found = plainStatements(line);
    return found === undefined ? [] : [[line, found] as const];
  });

  test('many lines are plain', () => {
    expect(plain.length).toBeGreaterThan(400);
  });

  test.each(plain)('%s', (line, statements) => {
    const parsed = parse(line);
    expect(parsed.errors ?? []).toEqual([]);
    const spans = (node: unknown) => JSON.parse(JSON.stringify(node));
    const own = statements.map(outline);
    const theirs = parsed.commands.map(outline);
    expect(spans(withoutEnds(own, theirs))).toEqual(spans(theirs));
  });
});

/** Where the parser's span has no end to compare with, ours is dropped too. */
function withoutEnds(own: unknown, theirs: unknown): unknown {
  if (Array.isArray(own) && Array.isArray(theirs)) {
    return own
      .slice(0, isSpan(theirs) ? theirs.length : own.length)
      .map((one, at) => withoutEnds(one, theirs[at]));
  }
  if (own === null || typeof own !== 'object' || typeof theirs !== 'object' || theirs === null) return own;
  return Object.fromEntries(
    Object.entries(own).map(([key, value]) => [
      key,
      withoutEnds(value, (theirs as Record<string, unknown>)[key]),
    ]),
  );
}

function isSpan(list: readonly unknown[]): boolean {
  return list.length > 0 && list.every((one) => typeof one === 'number');
}

test.each<[sentence: string, line: string]>([
  ['a variable', 'git commit -m "$x"'],
  ['a substitution', 'git push origin $(git branch)'],
  ['a backtick', 'echo `git commit`'],
  ['a redirection to a file', 'echo a > b'],
  ['a background command', 'git commit &'],
  ['a subshell', '(git commit)'],
  ['a group', '{ git commit; }'],
  ['a keyword', 'if true; then git commit; fi'],
  ['an assignment', 'A=b git commit'],
  ['a glob', 'rm *'],
  ['a home directory', 'cd ~ && ls'],
  ['a comment', 'ls # git commit'],
  ['an escape', 'git com\\mit'],
  ['a negation', '! git commit'],
  ['a here-document that is not only a message', "cat <<'EOF'\ngit commit\nEOF"],
  ['a here-document that is expanded', 'git commit -m "$(cat <<EOF\n$x\nEOF\n)"'],
  [
    'a message behind whose end something is run',
    `git commit -m "$(cat <<'EOF'\nx\nEOF\ngit push origin main\ncat <<'EOF'\ny\nEOF\n)"`,
  ],
  [
    'a message that a line ends which only begins with the closing word',
    `git commit -m "$(cat <<'EOF'\nx\nEOF git push)"; : "\nEOF\n)"`,
  ],
  ['a line that only sends output nowhere', 'git push\n  2>&1'],
  ['an empty command', 'ls;; git commit'],
  ['a chain that goes on in the next line', 'ls &&\ngit commit'],
  ['an open quote', "git commit -m 'x"],
])('%s is not plain', (_, line) => {
  expect(plainStatements(line)).toBeUndefined();
});
