import { remoteDefault } from '../git/remote-default';
import { repositoryAt, repositoryOf } from '../git/repository-at';
import type { Scene } from './scene';
import type { EffectsAsk, Needs, Snapshot } from './snapshot';

type CommandFacts = Pick<Snapshot, 'commandLines' | 'effects' | 'defaultBranch'>;

/** What the guards ask of a command line. One is asked about at most: that of the call which the event is about. */
export function commandFacts(scene: Scene, known: Snapshot, { command: text, effects }: Needs): CommandFacts {
  return {
    ...(text !== undefined && known.commandLines === undefined && linesOf(scene, text)),
    ...(effects !== undefined && known.effects === undefined && effectsOf(scene, known, effects)),
  };
}

function linesOf({ chunks, event }: Scene, text: string): CommandFacts {
  const lines = chunks.commandLines(text, event.cwd);
  return lines === undefined ? {} : { commandLines: lines };
}

function effectsOf({ chunks, event, project }: Scene, { git }: Snapshot, ask: EffectsAsk): CommandFacts {
  const effects = chunks.effectsOf(ask.command, {
    cwd: event.cwd === '' ? project.root : event.cwd,
    ...(project.home !== '' && { home: project.home }),
    repositoryAt: (directory) =>
      directory === git?.root ? repositoryOf(git) : repositoryAt(directory, chunks.askGit),
    testCommands: ask.testCommands.map((line) => line.trim().split(/\s+/)),
  });
  const touchesRefs = effects.git.length + effects.forge.length + effects.unknown.length > 0;
  const defaultBranch = touchesRefs && git !== undefined ? remoteDefault(git, chunks.askGit) : undefined;
  return { effects, ...(defaultBranch !== undefined && { defaultBranch }) };
}
