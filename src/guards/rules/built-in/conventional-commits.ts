import { resolve } from 'node:path';
import { advise, type Command, defineRule, hold, type RuleContext } from '../../../api';
import { hereDocuments } from './shell-text';

const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const HEADER = new RegExp(`^(?:${TYPES.join('|')})(?:\\([^()\\r\\n]+\\))?!?: +\\S`);
/** Messages that git writes itself, and those of commits to be squashed later. */
const FREE = /^(?:Merge |Revert "|(?:fixup|squash|amend)! )/;
/** A prefix that can still become a valid header. */
const BEGINNING = /^[a-z]*(?:\([^()]*\)?)?!?:? *$/;

/** Commit messages follow Conventional Commits. */
export const conventionalCommits = defineRule({
  name: 'conventional-commits',
  on: 'commit',
  description: 'Commit messages are `type(scope): subject`.',
  decide(event, ctx) {
    if (event.kind !== 'tool.before') return;
    const { call } = event;
    const messages =
      call.command === undefined
        ? messagesIn(call.input)
        : ctx.commands.flatMap((command) => messageOf(command, call.command ?? '', ctx));
    const wrong = messages.find((message) => message.kind === 'text' && !isProper(message.text));
    if (wrong?.kind === 'text') return hold(instead(wrong.text));
    if (messages.some(({ kind }) => kind === 'unseen'))
      return advise(`the message could not be read here; it has to be ${FORM}.`);
    return;
  },
});

const FORM = `\`type(scope): subject\`, with one of the types ${TYPES.join(', ')}`;

function instead(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  const shown = first.length > 80 ? `${first.slice(0, 79)}…` : first;
  return `the commit message "${shown}" is not of the form ${FORM}. Write for example \`${headerFor(first)}\`.`;
}

/** The nearest valid header: `Feat : Add x` becomes `feat: add x`. */
function headerFor(first: string): string {
  // Removes emoji, or their names such as `:tada:`.
  const words = first.replace(/^(?::\w+:|[^\p{L}\p{N}])+/u, '').slice(0, 200);
  const [, type = '', scope = '', breaking = '', rest = words] =
    /^([\w-]+) {0,9}(\([^()]*\))? {0,9}(!?) {0,9}:(.*)$/.exec(words) ?? [];
  const known = TYPES.find((one) => one === type.toLowerCase());
  const start = known === undefined ? 'fix' : `${known}${scope === '()' ? '' : scope}${breaking}`;
  return `${start}: ${subjectOf(rest.trim())}`;
}

function subjectOf(words: string): string {
  const subject = words === '' ? 'handle empty input' : words;
  // Lowercases `Add x`, but not `API`.
  const lower = subject.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase());
  return lower.slice(0, 50).replaceAll('`', "'");
}

/** `unseen`: the message comes from an editor, a variable or a file that cannot be read. */
type Message = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unseen' };

const UNSEEN: Message = { kind: 'unseen' };

function isProper(text: string): boolean {
  const [first = ''] = text.trim().split('\n', 1);
  return HEADER.test(first) || FREE.test(first);
}

/** For a tool of an MCP server. */
function messagesIn(input: Readonly<Record<string, unknown>>): Message[] {
  const text = input['message'] ?? input['commit_message'];
  return typeof text === 'string' && text.trim() !== '' ? [{ kind: 'text', text }] : [];
}

/** Options that take the message from elsewhere, or keep the existing one. */
const ELSEWHERE =
  /^(?:-[cC]|--(?:reuse|reedit)-message(?:=.*)?|--fixup(?:=.*)?|--squash(?:=.*)?|--no-edit|--amend|--dry-run)$/;

/** Flags after which a word cannot be their value. */
const FLAG = /^(?:[^-].*|-[aqsvnp]+|--(?:all|quiet|signoff|no-verify|no-edit|edit|allow-empty))$/s;

/** Git itself puts `fixup!` or `squash!` before the message. That of `--fixup=amend:` is the message in the end. */
function isToBeSquashed(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  return (
    words.some(
      (word, at) =>
        /^--(?:fixup|squash)(?:=(?!amend:|reword:)|$)/.test(word) && FLAG.test(words[at - 1] ?? ''),
    ) && !words.some((word) => /^(?:--no-(?:fi|sq)|(?:--fixup=)?(?:amend|reword):)/.test(word))
  );
}

/** The line of a here-document or here-string that a commit reads. */
const COMMIT_INPUT = /^.*(?:\bcommit\b.*<<|<<.*\bcommit\b)/m;

function messageOf({ program, arguments: args, cwd }: Command, line: string, ctx: RuleContext): Message[] {
  if (program !== 'git' || args[0] !== 'commit' || isToBeSquashed(args)) return [];
  const given = optionsIn(args.slice(1));
  const text = given.find(({ name }) => name === 'm')?.value;
  if (text !== undefined) return [written(text)];
  const file = given.find(({ name }) => name === 'F')?.value;
  if (file === '-') {
    // Here-documents before it are other files.
    const [body] = hereDocuments(line.slice(Math.max(0, line.search(COMMIT_INPUT))));
    return [body === undefined ? UNSEEN : { kind: 'text', text: body }];
  }
  if (file !== undefined) {
    const read = ctx.read(resolve(cwd ?? ctx.root, file));
    return [read === undefined ? UNSEEN : { kind: 'text', text: withoutComments(read) }];
  }
  return args.some((arg) => ELSEWHERE.test(arg)) ? [] : [UNSEEN];
}

function withoutComments(text: string): string {
  return text.replace(/^#.*\n?/gm, '');
}

/** The values of `-m` and `-F`, in all forms that git accepts. */
function optionsIn(args: readonly string[]): { readonly name: 'm' | 'F'; readonly value: string }[] {
  return args.flatMap((arg, at) => {
    const match =
      /^--(m|f)(?:ess(?:age?)?|ile?)(?:=([\s\S]*))?$/.exec(arg) ??
      /^-[apqsvneio]*([mF])([\s\S]+)?$/.exec(arg);
    const value = match?.[2] ?? args[at + 1];
    if (match === null || value === undefined) return [];
    return [{ name: match[1] === 'm' ? 'm' : 'F', value }];
  });
}

/** The message in an argument. If the shell still has to expand the argument, it comes with its quotes. */
function written(word: string): Message {
  if (!/^["$]|`/.test(word) || !/[$`]/.test(word)) return { kind: 'text', text: word };
  const inner = word.replace(/^"([\s\S]*)"$/, '$1');
  const [body] = /^\$\(\s*cat\s*<</.test(inner) ? hereDocuments(inner) : [];
  if (body !== undefined) return { kind: 'text', text: body };
  const [prefix = ''] = inner.split(/[$`]/, 1);
  if (prefix.includes('\n')) return { kind: 'text', text: prefix };
  return BEGINNING.test(prefix) && !HEADER.test(`${prefix}x`) ? UNSEEN : { kind: 'text', text: `${prefix}…` };
}
