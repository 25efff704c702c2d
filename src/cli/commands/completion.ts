import { basename } from 'node:path';
import { readCache } from '../../core/project';
import { type Cli, listedCommands } from '../command';
import { type Context, cannotRun, type Options, report } from '../context';
import { openProject, requirementsConfig } from '../project';
import { printAll } from '../ui/output';
import { holdpoint } from './holdpoint';

// The scripts call `holdpoint completion offers` with all words up to the cursor. It prints one line per match: the
// word, then a tab and its summary if it has one. Its output is never evaluated.
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# bash completion for holdpoint, req and agent-gauntlet (bash 3.2 and newer)
# shellcheck shell=bash

_holdpoint() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    printf -v word '%q' "$word"
    COMPREPLY+=("$word")
  done < <(command holdpoint completion offers -- "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2> /dev/null)
}

complete -o default -F _holdpoint holdpoint req agent-gauntlet`,
  zsh: `#compdef holdpoint req agent-gauntlet
# zsh completion: for a directory of fpath under the name _holdpoint, or to be sourced after compinit

_holdpoint() {
  local -a offers
  offers=(\${(f)"$(command holdpoint completion offers -- "\${(@)words[1,CURRENT]}" 2> /dev/null)"})
  offers=(\${offers/$'\\t'/:})
  if (( \${#offers} )); then _describe -t words word offers; else _files; fi
}

if [[ \${funcstack[1]} == _holdpoint ]]; then
  _holdpoint "$@"
else
  compdef _holdpoint holdpoint req agent-gauntlet
fi`,
  fish: `# fish completion for holdpoint, req and agent-gauntlet

function __holdpoint_offers
    set -l current (commandline -ct)
    set -l offers (command holdpoint completion offers -- (commandline -opc) "$current" 2> /dev/null)
    if test (count $offers) -gt 0
        printf '%s\\n' $offers
    else
        __fish_complete_path "$current"
    end
end

for program in holdpoint req agent-gauntlet
    complete -c $program -e
    complete -c $program -f -a '(__holdpoint_offers)'
end`,
};

export function completion(context: Context, _options: Options, [shell = '', ...others]: readonly string[]) {
  // Runs while the user is typing, so nothing may go to standard error.
  if (shell === 'offers') {
    printAll(offersFor(others, context));
    return 0;
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined || others.length > 0)
    throw cannotRun(`holdpoint completion: give one shell: ${Object.keys(SCRIPTS).join(', ')}.`);
  return report(context, { shell, script }, [script]);
}

/** Programs that are a command group of ours. */
const GROUPS: NodeJS.Dict<string> = { req: 'req', 'agent-gauntlet': 'gates' };

function offersFor([program = '', ...words]: readonly string[], context: Context): readonly string[] {
  const typed = words.pop() ?? '';
  // Bash splits `--flag=value` at the equals sign; other shells pass it as one word.
  if (words.at(-1) === '=') words.pop();
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(typed) ?? [];
  let command = holdpoint();
  for (const word of [GROUPS[basename(program)], ...words])
    command = listedCommands(command).find((one) => one.name() === word) ?? command;
  const before = flag ?? words.at(-1) ?? '';
  const option = command.options.find(({ long, short }) => [long, short].includes(before));
  const begun = value ?? (typed === '=' ? '' : typed);
  const offers =
    option?.required || option?.optional ? option.argChoices : wordsAfter(command, begun, context);
  const fitting = (offers ?? []).filter((offer) => offer.startsWith(begun));
  return flag === undefined ? fitting : fitting.map((offer) => `${flag}=${offer}`);
}

function wordsAfter(command: Cli, begun: string, context: Context): readonly string[] {
  if (begun.startsWith('-'))
    return ['--help', ...command.options.flatMap(({ long, short }) => [long ?? [], short ?? []].flat())];
  if (command.takesRequirements) return requirementNames(context);
  return [
    ...listedCommands(command).map((below) => `${below.name()}\t${below.summary()}`),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  ];
}

/** The names that `req satisfy` accepts. The config may be untrusted, so only shell-safe names are offered. */
function requirementNames(context: Context): readonly string[] {
  const project = openProject(context);
  if (project === undefined) return [];
  const { chunks } = context;
  const compiled = readCache(project) ?? chunks.part('compile-config').compileOnly(project, chunks);
  const config = requirementsConfig(compiled);
  return (config?.requirements ?? []).map(({ name }) => name).filter((name) => /^[\w.-]+$/.test(name));
}
