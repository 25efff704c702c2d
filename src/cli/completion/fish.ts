import { lastWord } from './bash';
import { allCommands, type CommandNode, type Flag } from './command-tree';

const PROGRAMS = ['holdpoint', 'req', 'agent-gauntlet'];

/** A script for fish. */
export function fishScript(tree: CommandNode): string {
  const all = allCommands(tree);
  return `# fish completion for holdpoint, req and agent-gauntlet

set -g __holdpoint_commands ${all.map(({ path }) => quoted(path)).join(' ')}

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

for program in ${PROGRAMS.join(' ')}
    complete -c $program -e
${all.flatMap(lines).join('\n')}
end
`;
}

function lines({ path, commands, flags, words }: CommandNode): string[] {
  const here = `    complete -c $program -n ${quoted(`__holdpoint_at ${quoted(path)}`)}`;
  const dynamic = quoted('(command holdpoint completion requirements 2> /dev/null)');
  return [
    ...commands.map(({ path: below, summary }) => `${here} -f -a ${lastWord(below)} -d ${quoted(summary)}`),
    ...(words === 'requirements' ? [`${here} -f -a ${dynamic}`] : []),
    ...(words !== 'requirements' && words.length > 0 ? [`${here} -f -a ${quoted(words.join(' '))}`] : []),
    ...flags.map((flag) => `${here} ${option(flag)}`),
  ];
}

function option({ name, values }: Flag): string {
  const spelled = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  if (values === undefined) return spelled;
  return values.length === 0 ? `${spelled} -r` : `${spelled} -x -a ${quoted(values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
