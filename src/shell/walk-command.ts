import type { Assignment, Command, CommandArgument, Redirection } from 'unbash';
import { type Call, record } from './call';
import { type EnvironmentEntry, type FileRedirection, knownWord, type Word } from './command';
import { runAssignments, runCall } from './run-call';
import type { Scope } from './scope';
import { runSubstitutions } from './substitutions';
import { expandOne, expandWord } from './words';
import type { Outcome, Worlds } from './worlds';

/** One command of the text: its substitutions first, then what its words stand for. */
export function walkCommand(node: Command, entry: Worlds, scope: Scope): Outcome {
  const substituted = runSubstitutions(node, entry, scope);
  const prefix = node.prefix.filter((each): each is Assignment => each.type === 'Assignment');
  const words = [
    ...(node.name === undefined ? [] : expandWord(node.name, entry, scope)),
    ...node.args.flatMap((argument) => argumentWords(argument, entry, scope)),
  ];
  const call: Call = {
    words,
    assignments: prefix.map((each) => entryOf(each, entry, scope)),
    redirections: fileRedirections(node.redirects, entry, scope),
    input: inputOf(node.redirects, entry, scope),
    at: { start: node.pos, end: node.end },
  };
  return words.length === 0 ? runAssignments(call, entry, scope, substituted) : runCall(call, entry, scope);
}

/** The files that a compound command opens for all that is inside it. */
export function openFiles(redirects: readonly Redirection[], entry: Worlds, scope: Scope): Worlds {
  for (const redirect of redirects) runSubstitutions(redirect, entry, scope);
  const redirections = fileRedirections(redirects, entry, scope);
  const [first] = redirects;
  if (redirections.length === 0 || first === undefined) return entry;
  const at = { start: first.pos, end: first.end };
  return record({ words: [knownWord('')], assignments: [], redirections, input: undefined, at }, entry, scope)
    .success;
}

function argumentWords(argument: CommandArgument, entry: Worlds, scope: Scope): readonly Word[] {
  if (argument.type === 'Word') return expandWord(argument, entry, scope);
  const { name, value } = entryOf(argument, entry, scope);
  return [
    value.kind === 'known'
      ? knownWord(`${name}=${value.value}`)
      : { kind: 'unknown', text: `${name}=${value.text}` },
  ];
}

function entryOf(node: Assignment, entry: Worlds, scope: Scope): EnvironmentEntry {
  const isPlain = node.value.type === 'Word' && node.append !== true && node.index === undefined;
  return {
    name: node.name,
    value:
      isPlain && node.value.type === 'Word'
        ? expandOne(node.value, entry, scope)
        : { kind: 'unknown', text: node.text },
  };
}

function fileRedirections(
  redirects: readonly Redirection[],
  entry: Worlds,
  scope: Scope,
): readonly FileRedirection[] {
  return redirects.flatMap((redirect) => fileRedirection(redirect, entry, scope) ?? []);
}

function fileRedirection(redirect: Redirection, entry: Worlds, scope: Scope): FileRedirection | undefined {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return undefined;
  const target = expandOne(redirect.target, entry, scope);
  const { operator } = redirect;
  if (operator === '<&') return undefined;
  if (operator === '>&') return isDescriptor(target) ? undefined : { operator: '&>', target };
  return { operator, target };
}

/** `>&1` and `>&-` duplicate or close; any other `>&` opens a file. */
function isDescriptor(target: Word): boolean {
  return target.kind === 'known' && /^[0-9]*-?$/.test(target.value);
}

function inputOf(redirects: readonly Redirection[], entry: Worlds, scope: Scope): Word | undefined {
  let input: Word | undefined;
  for (const redirect of redirects) {
    if (redirect.type === 'HereString' && redirect.target !== undefined) {
      input = expandOne(redirect.target, entry, scope);
    }
    if (redirect.type === 'HereDoc') {
      const { body, operator, delimiter } = redirect;
      const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
      const isConstant = delimiter?.quoted === true || !/[$`\\]/.test(body.text);
      input = isConstant ? knownWord(text) : { kind: 'unknown', text };
    }
  }
  return input;
}
