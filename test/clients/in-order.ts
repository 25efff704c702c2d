import { type Script, say, type Turn } from './scripted-model';

/** These answers, one after the other. One that is a function reads the question first. */
export function inOrder(turns: readonly (Turn | Script)[]): Script {
  let next = 0;
  return (asked) => {
    const turn = turns[next] ?? say('THE SCRIPT IS OVER');
    next += 1;
    return typeof turn === 'function' ? turn(asked) : turn;
  };
}

/** A conversation of its own for each subagent, told by a word in its prompt; all others have the main one. */
export function withSubagents(main: Script, subagents: Readonly<Record<string, Script>>): Script {
  return (asked) => {
    const word = Object.keys(subagents).find((one) => asked.opening.includes(one));
    return (subagents[word ?? ''] ?? main)(asked);
  };
}
