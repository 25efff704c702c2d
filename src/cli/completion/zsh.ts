import { lastWord } from './bash';
import { allCommands, type CommandNode } from './command-tree';

/** A script for zsh: for a directory of fpath under the name _holdpoint, or to be sourced after compinit. */
export function zshScript(tree: CommandNode): string {
  return `#compdef holdpoint req agent-gauntlet
# zsh completion for holdpoint, req and agent-gauntlet

_holdpoint_at() {
  commands=() flags=() words_here=() valued=()
  case $1 in
${allCommands(tree).map(branch).join('\n')}
  esac
}

_holdpoint_values() {
  given=()
  case $1 in
${allCommands(tree).flatMap(values).join('\n')}
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

function branch({ path, commands, flags, words }: CommandNode): string {
  const lists = {
    commands: commands.map(({ path: below, summary }) => quoted(`${lastWord(below)}:${summary}`)),
    flags: flags.map(({ name }) => name),
    words_here: words === 'requirements' ? [words] : words,
    valued: flags.filter((flag) => flag.values !== undefined).map(({ name }) => name),
  };
  const given = Object.entries(lists).filter(([, list]) => list.length > 0);
  return `    '${path}') ${given.map(([name, list]) => `${name}=(${list.join(' ')})`).join(' ')} ;;`;
}

function values({ path, flags }: CommandNode): string[] {
  return flags.flatMap((flag) =>
    flag.values === undefined || flag.values.length === 0
      ? []
      : [`    '${path} ${flag.name}') given=(${flag.values.join(' ')}) ;;`],
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
