import type { Option } from 'commander';
import { compileOnly } from '../../core/compile-config';
import { readCache } from '../../core/config-cache';
import { type Cli, listedCommands } from '../command';
import type { Context, ExitCode } from '../context';
import { openProject, requirementsConfig } from '../project';
import { cannotRun } from '../ui/refusal';
import { holdpoint } from './holdpoint';

const SCRIPTS = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** `holdpoint completion`: prints the script for a shell. */
export function completion(
  context: Context,
  { json }: { readonly json: boolean },
  [shell = '', ...others]: readonly string[],
): ExitCode {
  const { out } = context;
  // The scripts ask for this while somebody is typing, so nothing may be printed on standard error.
  if (shell === 'requirements') {
    for (const name of requirementNames(context)) out.line(name);
    return 0;
  }
  const script = SCRIPTS.get(shell);
  if (script === undefined || others.length > 0)
    throw cannotRun(`holdpoint completion: name one shell: ${[...SCRIPTS.keys()].join(', ')}.`);
  const text = script(allCommands(asCompleted(holdpoint()))).trimEnd();
  if (json) out.json({ shell, script: text });
  else out.line(text);
  return 0;
}

/** The names that `req satisfy` takes here. A config may be a stranger's, so only names safe in a shell are offered. */
function requirementNames(context: Context): readonly string[] {
  const project = openProject(context);
  if (project === undefined) return [];
  const config = requirementsConfig(readCache(project) ?? compileOnly(project, context.chunks));
  return (config?.requirements ?? []).map(({ name }) => name).filter((name) => /^[\w.-]+$/.test(name));
}

interface Flag {
  /** With its dashes. */
  readonly name: string;
  /** Absent for a switch; empty where anything may follow. */
  readonly values?: readonly string[];
}

interface Command {
  /** All words up to it: `holdpoint req satisfy`. */
  readonly path: string;
  readonly summary: string;
  readonly commands: readonly Command[];
  readonly flags: readonly Flag[];
  /** What may follow besides flags; `requirements` are the project's, looked up while typing. */
  readonly words: readonly string[] | 'requirements';
}

/** What a shell has to know of a command and of those below it. */
function asCompleted(command: Cli): Command {
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return {
    path: command.path,
    summary: command.summary(),
    commands: listedCommands(command).map(asCompleted),
    flags: [{ name: '--help' }, ...command.options.flatMap(flagsOf)],
    words: command.takesRequirements ? 'requirements' : choices,
  };
}

/** An option under its long and its short name. */
function flagsOf({ long, short, required, optional, argChoices = [] }: Option): Flag[] {
  const names = [long, short].filter((name) => typeof name === 'string');
  return names.map((name) => (required || optional ? { name, values: argChoices } : { name }));
}

/** Every command of the tree, the outer ones first. */
function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function lastWord(path: string): string {
  return path.slice(path.lastIndexOf(' ') + 1);
}

/** A script for bash 3.2 and newer. Names that come from a project are compared and quoted, never evaluated. */
function bashScript(all: readonly Command[]): string {
  const lists = caseBranches(
    all,
    'words',
    ({ path }) => lastWord(path),
    (list) => `'${list}'`,
  );
  return `# bash completion for holdpoint, req and agent-gauntlet
# shellcheck shell=bash disable=SC2034

_holdpoint_at() {
  commands='' flags='' words='' valued=''
  case $1 in
${lists}
  esac
}

_holdpoint_values() {
  case $1 in
${valueBranches(all, (values) => `printf '%s\\n' ${values}`)}
  esac
}

_holdpoint_offer() {
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$cur"* ]] || continue
    printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done
}

_holdpoint() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local at commands flags words valued word i
  COMPREPLY=()
  # --flag=value comes as three words.
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $before == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case \${COMP_WORDS[0]##*/} in
    req) at='holdpoint req' ;;
    agent-gauntlet) at='holdpoint gates' ;;
    *) at=holdpoint ;;
  esac
  _holdpoint_at "$at"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word != -* && " $commands " == *" $word "* ]]; then
      at="$at $word"
      _holdpoint_at "$at"
    fi
  done
  if [[ " $valued " == *" $before "* ]]; then
    _holdpoint_offer < <(_holdpoint_values "$at $before")
  elif [[ $cur == -* ]]; then
    _holdpoint_offer < <(printf '%s\\n' $flags)
  elif [[ $words == requirements ]]; then
    _holdpoint_offer < <(command holdpoint completion requirements 2> /dev/null)
  else
    _holdpoint_offer < <(printf '%s\\n' $commands $words)
  fi
}

complete -o default -F _holdpoint holdpoint req agent-gauntlet
`;
}

/** A script for zsh: for a directory of fpath under the name _holdpoint, or to be sourced after compinit. */
function zshScript(all: readonly Command[]): string {
  const described = ({ path, summary }: Command): string =>
    `'${`${lastWord(path)}:${summary}`.replaceAll("'", "'\\''")}'`;
  return `#compdef holdpoint req agent-gauntlet
# zsh completion for holdpoint, req and agent-gauntlet

_holdpoint_at() {
  commands=() flags=() words_here=() valued=()
  case $1 in
${caseBranches(all, 'words_here', described, (list) => `(${list})`)}
  esac
}

_holdpoint_values() {
  given=()
  case $1 in
${valueBranches(all, (values) => `given=(${values})`)}
  esac
}

_holdpoint() {
  local at word i before=\${words[CURRENT-1]}
  local -a commands flags words_here valued given names
  case \${words[1]:t} in
    req) at='holdpoint req' ;;
    agent-gauntlet) at='holdpoint gates' ;;
    *) at=holdpoint ;;
  esac
  _holdpoint_at "$at"
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    names=(\${commands%%:*})
    if (( \${names[(Ie)$word]} )); then
      at="$at $word"
      _holdpoint_at "$at"
    fi
  done
  if (( \${valued[(Ie)$before]} )); then
    _holdpoint_values "$at $before"
    if (( \${#given} )); then compadd -- $given; else _files; fi
  elif [[ \${words[CURRENT]} == -* ]]; then
    compadd -- $flags
  elif [[ \${words_here[1]} == requirements ]]; then
    given=(\${(f)"$(command holdpoint completion requirements 2> /dev/null)"})
    compadd -- $given
  elif (( \${#commands} )); then
    _describe -t commands command commands
  elif (( \${#words_here} )); then
    compadd -- $words_here
  else
    _files
  fi
}

if [[ \${funcstack[1]} == _holdpoint ]]; then
  _holdpoint "$@"
else
  compdef _holdpoint holdpoint req agent-gauntlet
fi
`;
}

/** A `case` branch for each command, which sets the lists of what may follow it. */
function caseBranches(
  all: readonly Command[],
  wordsVariable: string,
  shown: (command: Command) => string,
  quoted: (list: string) => string,
): string {
  const branch = ({ path, commands, flags, words }: Command): string => {
    const lists = {
      commands: commands.map(shown),
      flags: flags.map(({ name }) => name),
      [wordsVariable]: words === 'requirements' ? [words] : words,
      valued: flags.filter(({ values }) => values !== undefined).map(({ name }) => name),
    };
    const given = Object.entries(lists).filter(([, list]) => list.length > 0);
    return `    '${path}') ${given.map(([name, list]) => `${name}=${quoted(list.join(' '))}`).join(' ')} ;;`;
  };
  return all.map(branch).join('\n');
}

/** A `case` branch for each flag with known values. */
function valueBranches(all: readonly Command[], action: (values: string) => string): string {
  return all
    .flatMap(({ path, flags }) =>
      flags
        .filter(({ values = [] }) => values.length > 0)
        .map(({ name, values = [] }) => `    '${path} ${name}') ${action(values.join(' '))} ;;`),
    )
    .join('\n');
}

/** A script for fish. */
function fishScript(all: readonly Command[]): string {
  return `# fish completion for holdpoint, req and agent-gauntlet

set -g __holdpoint_commands ${all.map(({ path }) => fishQuoted(path)).join(' ')}

function __holdpoint_at
    set -l tokens (commandline -opc)
    set -l at holdpoint
    switch (string replace -r '.*/' '' -- $tokens[1])
        case req
            set at 'holdpoint req'
        case agent-gauntlet
            set at 'holdpoint gates'
    end
    for word in $tokens[2..-1]
        if contains -- "$at $word" $__holdpoint_commands
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end

for program in holdpoint req agent-gauntlet
    complete -c $program -e
${all.flatMap(fishLines).join('\n')}
end
`;
}

function fishLines({ path, commands, flags, words }: Command): string[] {
  const here = `    complete -c $program -n ${fishQuoted(`__holdpoint_at ${fishQuoted(path)}`)}`;
  const offered =
    words === 'requirements' ? '(command holdpoint completion requirements 2> /dev/null)' : words.join(' ');
  return [
    ...commands.map((below) => `${here} -f -a ${lastWord(below.path)} -d ${fishQuoted(below.summary)}`),
    ...(offered === '' ? [] : [`${here} -f -a ${fishQuoted(offered)}`]),
    ...flags.map((flag) => `${here} ${fishOption(flag)}`),
  ];
}

function fishOption({ name, values }: Flag): string {
  const spelled = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  if (values === undefined) return spelled;
  return values.length === 0 ? `${spelled} -r` : `${spelled} -x -a ${fishQuoted(values.join(' '))}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
