import type * as Bash from 'unbash';
import { forEachChild } from 'unbash';
import { isGlob } from '../core/text';
import { runAssignments, runCall } from './call';
import { echoed, expandOne, expandWord } from './expand';
import { filesPrintedBy, globExpansionWithParents, IMPLICIT_PRINT, searchGlobs } from './find';
import {
  anyOf,
  bothRan,
  either,
  type Histories,
  historiesAfter,
  initialHistories,
  NEVER,
  type Outcome,
  shared,
  skipped,
  succeeded,
  succeededEverywhere,
  UNREACHABLE,
  valuesAt,
} from './history';
import {
  type Assignment,
  type Call,
  isNestedTooDeep,
  type Output,
  parseLine,
  Scope,
  type Start,
  type Step,
  Trace,
  withEarlyExits,
} from './scope';
import { Arguments, isOneOf, knownWord, mapWord, programOf, unknownWord, type Word } from './words';

/** A longer line is not read; no real command comes near this. */
const MOST_CHARACTERS = 1024 * 1024;
const MOST_ROUNDS = 64;
const MOST_PIPED = 500;

export interface RunCommand extends Step {
  /** True if the line can exit with 0 only after this command has run and succeeded. */
  readonly certain: boolean;
}

/** A line that does not parse, or is too large or too deep, is unreadable. */
type ReadLine =
  | { readonly kind: 'read'; readonly commands: readonly RunCommand[]; readonly calls: readonly Call[] }
  | { readonly kind: 'unreadable'; readonly isTooMuch: boolean };

/**
 * Lists every command that a line runs, in order of execution. The body of a function appears where the
 * function is called, and constant code, as in `bash -c '…'`, where it runs; a loop body may appear twice.
 */
export function readLine(text: string, start: Start): ReadLine {
  if (text.length > MOST_CHARACTERS) return { kind: 'unreadable', isTooMuch: true };
  const commands = parseLine(text);
  if (commands === undefined) return { kind: 'unreadable', isTooMuch: isNestedTooDeep(text) };
  const trace = new Trace(text.length);
  const scope = new Scope(start, trace, walkList);
  const { success } = withEarlyExits(walkList(commands, initialHistories(), scope), scope.frame);
  if (trace.isGivenUp) return { kind: 'unreadable', isTooMuch: !trace.isBroken };
  return {
    kind: 'read',
    commands: trace.steps.map((step) => ({ ...step, certain: succeededEverywhere(success, step.id) })),
    calls: trace.calls,
  };
}

function walkList(list: readonly Bash.Statement[], entry: Histories, scope: Scope): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  let from = entry;
  for (const statement of list) {
    if (from.length === 0 || !scope.trace.spend(scope.loops > 0)) return UNREACHABLE;
    outcome = walkStatement(statement, from, scope);
    from = afterStatement(statement, outcome, scope);
  }
  return outcome;
}

/** Under `set -e` only a success continues, unless the exit status is being tested. */
function afterStatement({ command }: Bash.Statement, outcome: Outcome, scope: Scope): Histories {
  const isTested =
    scope.tested > 0 || command.type === 'AndOr' || (command.type === 'Pipeline' && isNegated(command));
  const all = historiesAfter(outcome);
  if (isTested || !isOn(scope.errexit, all)) return all;
  scope.leave(['shell'], { success: NEVER, failure: outcome.failure });
  return outcome.success;
}

function isOn(mode: Scope['errexit'], histories: Histories): boolean {
  const values = valuesAt(mode, histories);
  return values.length === 1 && values[0] === true;
}

function walkStatement({ command, background }: Bash.Statement, entry: Histories, scope: Scope): Outcome {
  const own = background ? scope.subshell() : scope;
  const outcome =
    command.type === 'AndOr' ? walkAndOr(command, entry, own) : walkPipelineNode(command, entry, own);
  return background ? { success: entry, failure: NEVER } : outcome;
}

/** `set -e` does not apply to a command whose exit status is tested. */
function walkTested(scope: Scope, isTested: boolean, walk: () => Outcome): Outcome {
  if (isTested) scope.tested++;
  const outcome = walk();
  if (isTested) scope.tested--;
  return outcome;
}

function walkAndOr(node: Bash.AndOr, entry: Histories, scope: Scope): Outcome {
  let outcome: Outcome = { success: entry, failure: NEVER };
  node.commands.forEach((command, index) => {
    const isOr = index > 0 && node.operators[index - 1] === '||';
    const first = scope.trace.nextStep;
    const from = isOr ? outcome.failure : outcome.success;
    const next =
      from.length === 0
        ? UNREACHABLE
        : walkTested(scope, index < node.commands.length - 1, () => walkPipelineNode(command, from, scope));
    const end = scope.trace.nextStep;
    outcome = isOr
      ? { success: either(skipped(outcome.success, first, end), next.success), failure: next.failure }
      : { success: next.success, failure: either(skipped(outcome.failure, first, end), next.failure) };
  });
  return outcome;
}

function walkPipelineNode(node: Bash.PipelineNode, entry: Histories, scope: Scope): Outcome {
  if (!scope.trace.spend(scope.loops > 0)) return UNREACHABLE;
  if (node.type !== 'Pipeline') return walkNode(node, entry, scope);
  const negated = isNegated(node);
  const { success, failure } = walkTested(scope, negated, () => walkPipeline(node, entry, scope));
  return negated ? { success: failure, failure: success } : { success, failure };
}

function isNegated(node: Bash.Pipeline): boolean {
  return node.prefixes.filter((prefix) => prefix.type === 'Negation').length % 2 === 1;
}

/** Every part runs in its own subshell. The last one's status counts, or with `pipefail` every one's. */
function walkPipeline(node: Bash.Pipeline, entry: Histories, scope: Scope): Outcome {
  const [only, ...others] = node.commands;
  if (only !== undefined && others.length === 0) return walkNode(only, entry, scope);
  scope.trace.isGivenUp ||= others.length > MOST_PIPED;
  if (scope.trace.isGivenUp) return UNREACHABLE;
  const everyCounts = isOn(scope.pipefail, entry);
  let outcome: Outcome = { success: entry, failure: NEVER };
  let piped: readonly string[] | undefined;
  let fed: Word | undefined;
  let search: readonly Word[] = [];
  for (const command of node.commands) {
    const own = scope.subshell();
    own.piped = piped;
    own.search = search;
    own.fed = fed;
    const first = scope.trace.steps.length;
    const part = withEarlyExits(walkNode(command, entry, own), own.frame);
    piped = printedBy(scope.trace.steps[first], scope, piped);
    search = searchedBy(scope.trace.steps[first], search);
    fed = scope.trace.steps.length === first + 1 ? echoedBy(scope.trace.steps[first]) : undefined;
    const before = everyCounts ? outcome.success : historiesAfter(outcome);
    const earlier = everyCounts ? bothRan(outcome.failure, historiesAfter(part)) : NEVER;
    outcome = {
      success: bothRan(before, part.success),
      failure: either(bothRan(before, part.failure), earlier),
    };
  }
  return outcome;
}

/** The output of a step that only prints, or passes on some of what is printed. */
function echoedBy(step: Step | undefined): Word | undefined {
  if (step === undefined || step.outputs.length > 0) return undefined;
  const isFilter = step.input !== undefined && filtersLines(programOf(step.words[0]));
  return echoed(step.words, step.input) ?? (isFilter ? unknownWord(step.input.text) : undefined);
}

/** Programs that print some of the lines they read. */
const filtersLines = isOneOf(
  'awk cat column cut egrep fgrep gawk grep head sed shuf sort tac tail tee tr uniq',
);

/** Globs for the files of the work tree whose names a command prints, even filtered. */
function searchedBy(step: Step | undefined, read: readonly Word[]): readonly Word[] {
  const [name, ...words] = step?.words ?? [];
  const program = programOf(name);
  if (program === 'find') return searchGlobs(step?.words ?? [], IMPLICIT_PRINT);
  const isGrep = /^(?:[ef]?grep|rg)$/.test(program);
  const args = new Arguments(words, '-e --regexp -f --file -m --max-count -A -B -C -g --glob -t --type');
  const lists = isGrep && args.has('-l -L --files-with-matches --files-without-match');
  if (filtersLines(program) && !lists) return read;
  const isListing = program === 'git' && words[0]?.value === 'ls-files' && !args.has('-o --others');
  if (!lists && !isListing) return [];
  const hasPattern = lists && !args.has('-e --regexp -f --file');
  const places = args.all.slice(isListing || hasPattern ? 1 : 0);
  return (places.length > 0 ? places : [knownWord('.')]).map(({ text }) => ({
    text: isGlob(text) ? text : `${text.replace(/(?<=.)\/+$/, '')}/**`,
    value: undefined,
    isSearch: true,
  }));
}

/** The watched files that `find`, `ls`, `echo` or `git ls-files -o` prints, even filtered; else `undefined`. */
function printedBy(
  step: Step | undefined,
  { watched }: Scope,
  read: readonly string[] | undefined,
): readonly string[] | undefined {
  if (watched === undefined || step === undefined) return undefined;
  const { words, cwd } = step;
  const program = programOf(words[0]);
  if (filtersLines(program)) return /^[ef]?grep$/.test(program) ? grepped(words.slice(1), read) : read;
  if (program !== 'git' || words[1]?.value !== 'ls-files') return filesPrintedBy(words, cwd, watched.files());
  const args = new Arguments(words.slice(2), '-x -X --exclude --exclude-from');
  if (!args.has('-o --others')) return undefined;
  const codes = args.has('-i --ignored') ? ['!!'] : args.has('--exclude-standard') ? ['??'] : ['!!', '??'];
  return watched
    .files()
    .filter((file) =>
      cwd.some((directory = '') => codes.includes(watched.gitStatus(directory, file).slice(0, 2))),
    );
}

/**
 * The paths that `grep` lets through, if its pattern is plain text or the end of a name; otherwise all of
 * them. We never run the agent's pattern as a regex: it could take forever.
 */
function grepped(
  words: readonly Word[],
  paths: readonly string[] | undefined,
): readonly string[] | undefined {
  const args = new Arguments(words, '-e --regexp -f --file -m --max-count -A -B -C');
  const pattern = (args.valueOf('-e --regexp') ?? args.operands[0])?.value ?? '';
  const [, plain = '', atEnd = ''] = /^((?:[\w/ -]|\\\.)+)(\$?)$/.exec(pattern) ?? [];
  if (plain === '' || args.has('-i --ignore-case')) return paths;
  const text = plain.replaceAll('\\.', '.');
  const isMet = (path: string): boolean => (atEnd === '' ? path.includes(text) : path.endsWith(text));
  if (!args.has('-v --invert-match')) return paths?.filter(isMet);
  // We do not know how much of each path was printed, only that it includes the end.
  return paths?.filter((path) => !isMet(path.split('/').slice(-2).join('/')));
}

function walkNode(node: Bash.CommandNode, entry: Histories, scope: Scope): Outcome {
  switch (node.type) {
    case 'Command':
      return walkCommand(node, entry, scope);
    case 'Redirected': {
      for (const redirect of node.redirects) runSubstitutions(redirect, entry, scope);
      const outputs = outputsOf(node.redirects, entry, scope);
      const outer = scope.fed;
      scope.fed = inputOf(node.redirects, entry, scope) ?? outer;
      const outcome = walkNode(node.command, scope.recordOutputs(outputs, entry), scope);
      scope.fed = outer;
      return outcome;
    }
    case 'Function': {
      const { body, name, pos, end } = node;
      if (body.type === 'CompoundList') return { success: entry, failure: NEVER };
      const statement: Bash.Statement = { type: 'Statement', command: body, background: undefined, pos, end };
      scope.functions = new Map([...scope.functions, [name.text, [statement]]]);
      return { success: entry, failure: NEVER };
    }
    case 'Coproc':
      if (node.body.type !== 'CompoundList') walkNode(node.body, entry, scope.subshell());
      return { success: entry, failure: NEVER };
    case 'Subshell': {
      const own = scope.subshell();
      return withEarlyExits(walkList(node.body.commands, entry, own), own.frame);
    }
    case 'BraceGroup':
      return walkList(node.body.commands, entry, scope);
    case 'If':
      return walkIf(node, entry, scope);
    case 'For':
    case 'Select':
      return walkFor(node, entry, scope);
    case 'While':
      return walkLoop(node.clause, node.body, node.kind === 'until', entry, scope);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part !== undefined) runSubstitutions(part, entry, scope);
      }
      scope.forgetNamesIn();
      return walkLoop(undefined, node.body, false, entry, scope);
    case 'Case':
      return walkCase(node, entry, scope);
    case 'ArithmeticCommand':
      scope.forgetNamesIn(node.body);
      runSubstitutions(node, entry, scope);
      return { success: entry, failure: entry };
    case 'TestCommand':
      runSubstitutions(node, entry, scope);
      return { success: entry, failure: entry };
  }
}

function walkIf(node: Bash.If, entry: Histories, scope: Scope): Outcome {
  const ends: Outcome[] = [];
  let from = entry;
  for (const { clause, then } of [node, ...node.elif]) {
    const test = walkClause(clause, from, scope);
    const first = scope.trace.nextStep;
    ends.push(walkList(then.commands, test.success, scope));
    from = skipped(test.failure, first, scope.trace.nextStep);
  }
  return anyOf([...ends, walkList(node.else?.commands ?? [], from, scope)]);
}

function walkClause(clause: Bash.CompoundList, entry: Histories, scope: Scope): Outcome {
  return walkTested(scope, true, () => walkList(clause.commands, entry, scope));
}

function walkCase(node: Bash.Case, entry: Histories, scope: Scope): Outcome {
  runSubstitutions(node.word, entry, scope);
  const ends: Outcome[] = [{ success: entry, failure: NEVER }];
  let from = entry;
  for (const { pattern, body, terminator } of node.items) {
    for (const word of pattern) runSubstitutions(word, entry, scope);
    const first = scope.trace.nextStep;
    ends.push(walkList(body.commands, from, scope));
    // With `;&` the next body runs after this one too.
    const isEnd = terminator === ';;' || terminator === undefined;
    from = isEnd ? skipped(entry, first, scope.trace.nextStep) : entry;
  }
  return anyOf(ends);
}

/** A constant list is walked word by word; any other list like a loop of unknown length. */
function walkFor(node: Bash.For | Bash.Select, entry: Histories, scope: Scope): Outcome {
  for (const word of node.wordlist ?? []) runSubstitutions(word, entry, scope);
  const listed = node.wordlist?.flatMap((word) => expandWord(word, entry, scope)) ??
    scope.argumentsAt(entry) ?? [unknownWord('$@')];
  // Of the files that a glob matches, only the watched ones and the directories above them matter.
  const words = listed.flatMap((word) => {
    const files = globExpansionWithParents(word, valuesAt(scope.cwd, entry), scope.watched?.files() ?? []);
    return files.length > 0 ? files.map(knownWord) : [word];
  });
  const most = Math.min(MOST_ROUNDS, scope.trace.rounds);
  const isConstant = words.every((word) => word.value !== undefined) && words.length <= most;
  if (isConstant) scope.trace.rounds -= words.length;
  if (node.type === 'Select' || !isConstant) {
    const list = words.every(({ text, value }) => value === undefined && isGlob(text)) ? words : undefined;
    const step = scope.trace.nextStep++;
    scope.assign(step, node.name.text, undefined, list);
    return walkLoop(undefined, node.body, false, succeeded(entry, step), scope);
  }
  return scope.within('loop', undefined, (frame) => {
    let outcome: Outcome = { success: entry, failure: NEVER };
    for (const word of words) {
      const step = scope.trace.nextStep++;
      scope.assign(step, node.name.text, word.value);
      const from = either(historiesAfter(outcome), shared(frame.success));
      outcome = walkList(node.body.commands, succeeded(from, step), scope);
    }
    return withEarlyExits(outcome, frame);
  });
}

/** Walks the body twice, so that the second round starts with what the first has changed. */
function walkLoop(
  clause: Bash.CompoundList | undefined,
  body: Bash.CompoundList,
  until: boolean,
  entry: Histories,
  scope: Scope,
): Outcome {
  return scope.within('loop', undefined, (frame) => {
    scope.loops++;
    let ends: Histories = NEVER;
    let from = entry;
    for (let round = 0; round < 2; round++) {
      const test = clause === undefined ? { success: from, failure: from } : walkClause(clause, from, scope);
      ends = shared([...ends, ...(until ? test.success : test.failure)]);
      const after = walkList(body.commands, until ? test.failure : test.success, scope);
      from = shared([...historiesAfter(after), ...frame.success]);
    }
    scope.loops--;
    const end = shared([...ends, ...from, ...frame.success]);
    return { success: end, failure: end };
  });
}

/** Walks the substitutions first, then the command that the words expand to. */
function walkCommand(node: Bash.Command, entry: Histories, scope: Scope): Outcome {
  const substitutes = runSubstitutions(node, entry, scope);
  const words = [...(node.name === undefined ? [] : [node.name]), ...node.args];
  const call: Call = {
    words: words.flatMap((word) =>
      word.type === 'Word' ? expandWord(word, entry, scope) : [assignmentWord(word, entry, scope)],
    ),
    assignments: node.prefix.flatMap((each) =>
      each.type === 'Assignment' ? [assignmentOf(each, entry, scope)] : [],
    ),
    outputs: outputsOf(node.redirects, entry, scope),
    // Without an input of its own it reads what the pipe, or the loop or group around it, passes on.
    input: inputOf(node.redirects, entry, scope) ?? scope.fed,
  };
  scope.trace.calls.push(call);
  return call.words.length === 0
    ? runAssignments(call, entry, scope, substitutes)
    : runCall(call, entry, scope);
}

function assignmentOf(node: Bash.Assignment, entry: Histories, scope: Scope): Assignment {
  const { name, value, append, index } = node;
  if (value.type === 'ArrayValue') {
    const before = append === true ? scope.listOf(name, entry) : [];
    const list = value.elements.flatMap((word) => expandWord(word, entry, scope));
    return { name, value: unknownWord(node.text), ...(before && { list: [...before, ...list] }) };
  }
  const isPlain = append !== true && index === undefined;
  return { name, value: isPlain ? expandOne(value, entry, scope) : unknownWord(node.text) };
}

/** `x=1` as an argument, as in `export x=1`. */
function assignmentWord(node: Bash.Assignment, entry: Histories, scope: Scope): Word {
  const { name, value } = assignmentOf(node, entry, scope);
  return mapWord(value, (text) => `${name}=${text}`);
}

/** The files that redirections write. Duplicated descriptors, input files and here-documents are left out. */
function outputsOf(
  redirects: readonly Bash.Redirection[],
  entry: Histories,
  scope: Scope,
): readonly Output[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.target === undefined) return [];
    const { operator } = redirect;
    const target = expandOne(redirect.target, entry, scope);
    // `>&1` and `>&-` duplicate or close; any other `>&` opens a file.
    const duplicates = operator === '>&' && /^[0-9]*-?$/.test(target.value ?? '?');
    if (operator === '<' || operator === '<&' || duplicates) return [];
    return [{ target, append: operator.endsWith('>>') }];
  });
}

function inputOf(redirects: readonly Bash.Redirection[], entry: Histories, scope: Scope): Word | undefined {
  let input: Word | undefined;
  for (const redirect of redirects) {
    if (redirect.type === 'HereString' && redirect.target !== undefined) {
      input = expandOne(redirect.target, entry, scope);
    }
    if (redirect.type === 'HereDoc') {
      const { body, operator, delimiter } = redirect;
      const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
      const isConstant = delimiter?.quoted === true || !/[$`\\]/.test(body.text);
      input = isConstant ? knownWord(text) : unknownWord(text);
    }
  }
  return input;
}

/**
 * Walks the code in `$(…)`, backticks and `<(…)`; returns whether there was any. It runs in a subshell, so it
 * cannot change variables or the directory; its exit status is ignored.
 */
function runSubstitutions(node: Bash.SyntaxNode, entry: Histories, scope: Scope): boolean {
  if ('script' in node) {
    const { script } = node;
    if (script === undefined || (script.errors?.length ?? 0) > 0) {
      scope.trace.isGivenUp = true;
      scope.trace.isBroken = true;
    } else {
      walkList(script.commands, entry, scope.subshell());
    }
    return true;
  }
  if (node.type === 'ArithmeticExpansion' && /\+\+|--|[^=!<>]=[^=]|<<=|>>=/.test(node.text))
    scope.forgetNamesIn(node.text);
  if (node.type === 'ParameterExpansion' && ['=', ':='].includes(node.operation?.operator ?? ''))
    scope.forgetNamesIn(node.parameter);
  let found = false;
  forEachChild(node, (child) => {
    if (runSubstitutions(child, entry, scope)) found = true;
  });
  return found;
}
