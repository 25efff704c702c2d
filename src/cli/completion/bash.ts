import { allCommands, type CommandNode } from './command-tree';

/** A script for bash 3.2 and newer. Names that come from a project are compared and quoted, never evaluated. */
export function bashScript(tree: CommandNode): string {
  return `# bash completion for holdpoint, req and agent-gauntlet
# shellcheck shell=bash disable=SC2034

_holdpoint_at() {
  commands='' flags='' words='' valued=''
  case $1 in
${allCommands(tree).map(branch).join('\n')}
  esac
}

_holdpoint_values() {
  case $1 in
${allCommands(tree).flatMap(values).join('\n')}
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

function branch({ path, commands, flags, words }: CommandNode): string {
  const lists = {
    commands: commands.map(({ path: below }) => lastWord(below)),
    flags: flags.map(({ name }) => name),
    words: words === 'requirements' ? [words] : words,
    valued: flags.filter((flag) => flag.values !== undefined).map(({ name }) => name),
  };
  const given = Object.entries(lists).filter(([, list]) => list.length > 0);
  return `    '${path}') ${given.map(([name, list]) => `${name}='${list.join(' ')}'`).join(' ')} ;;`;
}

function values({ path, flags }: CommandNode): string[] {
  return flags.flatMap((flag) =>
    flag.values === undefined || flag.values.length === 0
      ? []
      : [`    '${path} ${flag.name}') printf '%s\\n' ${flag.values.join(' ')} ;;`],
  );
}

export function lastWord(path: string): string {
  return path.slice(path.lastIndexOf(' ') + 1);
}
